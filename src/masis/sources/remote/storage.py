"""Whatever fsspec reads: s3://, gs://, az://, sftp://, github://, zip::, with the credentials of each library."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from masis.errors import InvalidInput, MASISError, SourceUnavailable, UnreadableFile
from masis.sources.remote.listing import ListedFile, Listing, Wanted, require_few, scheme_of, too_large

EXTRAS = {
    "s3": "s3",
    "s3a": "s3",
    "gs": "gs",
    "gcs": "gs",
    "az": "azure",
    "abfs": "azure",
    "abfss": "azure",
    "adl": "azure",
    "sftp": "sftp",
    "ssh": "sftp",
    "github": "github",
}
_CONTENT = ("ETag", "etag", "md5Hash", "content_md5", "sha", "CRC")
"""What storages call the value that identifies a file's content."""
_CHANGED = ("LastModified", "last_modified", "mtime", "modified", "updated", "date_time")


def storage_listing(wanted: Wanted) -> Listing:
    storage, root = _opened(wanted.address)
    try:
        storage.invalidate_cache()
        found: Mapping[str, Mapping[str, Any]] = storage.find(root, detail=True)
        if not found and not storage.exists(root):
            raise FileNotFoundError(wanted.address)
    except FileNotFoundError:
        raise SourceUnavailable(f"{wanted.address} does not exist.") from None
    except Exception as error:  # every library has errors of its own
        raise SourceUnavailable(f"{wanted.address} cannot be listed: {_said(error)}.") from None
    listing = Listing()
    for path, facts in sorted(found.items()):
        name = path.removeprefix(root).strip("/") or path.rpartition("/")[2]
        if not wanted.ignore(name):
            listing.files.append(
                _listed(storage, path, name, facts, wanted, is_root=path.strip("/") == root.strip("/"))
            )
            require_few(len(listing.files), wanted)
    return listing


def _opened(address: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs

        return url_to_fs(address, skip_instance_cache=True)  # type: ignore[no-any-return]
    except ImportError as error:
        raise _not_installed(address, error) from None
    except ValueError as error:
        raise InvalidInput(f"{address} cannot be read: {_said(error)}.", advice="Check the address.") from None
    except MASISError:
        raise
    except Exception as error:
        raise SourceUnavailable(f"{address} cannot be reached: {_said(error)}.") from None


def _not_installed(address: str, error: ImportError) -> InvalidInput:
    schemes = [scheme_of(address), scheme_of(address.rpartition("::")[2])]
    extra = next((EXTRAS[each] for each in reversed(schemes) if each in EXTRAS), "storage")
    return InvalidInput(
        f"What reads {schemes[-1] or schemes[0]} is not installed ({error.name or _said(error)}).",
        advice=f"Install it with: pip install 'masis[{extra}]'",
    )


def _listed(
    storage: Any, path: str, name: str, facts: Mapping[str, Any], wanted: Wanted, *, is_root: bool
) -> ListedFile:
    size = facts.get("size")
    content = next((str(facts[each]).strip('"') for each in _CONTENT if facts.get(each)), None)
    changed = next((str(facts[each]) for each in _CHANGED if facts.get(each)), None)
    known = [each for each in (content, changed) if each]
    address = wanted.address.rstrip("/")
    return ListedFile(
        address if is_root else f"{address}/{name}",
        name,
        "-".join([*known, str(size)]) if known else "",
        partial(_read, storage, path, name, size, wanted),
        f"{content}:{size}" if content else None,
    )


def _read(storage: Any, path: str, name: str, size: int | None, wanted: Wanted) -> bytes:
    most = wanted.settings.max_file_bytes
    if size is not None and size > most:
        raise too_large(name, wanted.settings)
    try:
        data: bytes = storage.cat_file(path, end=None if size is not None else most + 1)
    except Exception as error:
        raise UnreadableFile(
            f"{name} cannot be read: {_said(error)}.", advice="Check your right to read it, then sync again."
        ) from None
    if len(data) > most:
        raise too_large(name, wanted.settings)
    return data


def _said(error: Exception) -> str:
    return " ".join(str(error).split())[:300].rstrip(".") or type(error).__name__
