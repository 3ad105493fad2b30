"""Files over HTTP and WebDAV (one file, a listed folder, a collection), and the pages of a sitemap, as far as the
site's robots.txt allows and no faster than it asks for.

Sources added through the service reach public addresses only. A name is resolved once and checked, and the connection
goes to the checked address, so a name that resolves differently the second time gains nothing. Redirects are checked
the same way.
"""

import gzip
import io
import ipaddress
import netrc
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from urllib.parse import quote, unquote, urljoin, urlsplit
from urllib.robotparser import RobotFileParser

import httpx2

from masis._version import __version__
from masis.errors import InvalidInput, MASISError, SourceUnavailable, UnreadableFile
from masis.sources.remote.listing import ListedFile, Listing, Wanted, is_listed, require_few, too_large

AGENT = f"MASIS/{__version__}"
_SECONDS = 30.0
_PAGE_BYTES = 20_000_000
_DEEPEST = 20
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_PROPERTIES = (
    b'<?xml version="1.0"?><propfind xmlns="DAV:"><prop><resourcetype/><getcontentlength/><getlastmodified/>'
    b"<getetag/></prop></propfind>"
)


class Refused(MASISError):
    """The address belongs to a machine that the service must not reach."""

    code = "refused_address"
    advice = "An administrator allows it with MASIS_SYNC_ALLOWED."


def is_public(address: str) -> bool:
    """Also recognises an IPv4 address inside an IPv6 one."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inside = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if inside is None and ip in _NAT64:
            inside = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inside is not None:
            return is_public(str(inside))
    return ip.is_global and not ip.is_multicast


class _PublicOnly(httpx2.HTTPTransport):
    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        host, port = request.url.host, request.url.port or (443 if request.url.scheme == "https" else 80)
        try:
            found = [str(each[4][0]) for each in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
        except (OSError, UnicodeError):
            raise httpx2.ConnectError(f"{host} is not known") from None
        if not found or not all(map(is_public, found)):
            raise Refused(f"{host} is not a public address.")
        # A separate request: redirects and links are relative to the original. The Host header keeps the name.
        pinned = httpx2.Request(
            request.method,
            request.url.copy_with(host=found[0]),
            headers=request.headers,
            stream=request.stream,
            extensions={**request.extensions, "sni_hostname": host},
        )
        return super().handle_request(pinned)


class Web:
    """Requests on behalf of one source."""

    def __init__(self, wanted: Wanted) -> None:
        self._settings = wanted.settings
        is_free = wanted.is_trusted or is_listed(wanted.address, wanted.settings)
        host, verify = urlsplit(wanted.address).hostname or "", ssl.create_default_context()
        # One connection per request: another name at the same address would share it, including the certificate.
        guarded = None if is_free else _PublicOnly(verify, limits=httpx2.Limits(max_keepalive_connections=0))
        self.client = httpx2.Client(
            verify=verify,
            transport=guarded,
            trust_env=is_free,
            auth=_login(host) if is_free else None,
            headers={"User-Agent": AGENT},
            follow_redirects=True,
            max_redirects=5,
            timeout=_SECONDS,
        )

    def get(self, address: str, most: int | None = None) -> tuple[bytes, httpx2.Headers, str]:
        """The body, the headers, and the address after redirects."""
        with self.client.stream("GET", address) as answer:
            answer.raise_for_status()
            body = bytearray()
            for part in answer.iter_bytes():
                body += part
                if len(body) > (most or self._settings.max_file_bytes):
                    raise too_large(name_of(address), self._settings)
            return bytes(body), answer.headers, str(answer.url)

    def version(self, address: str) -> str:
        """Empty if the server does not say."""
        with suppress(httpx2.HTTPError):
            answer = self.client.head(address)
            if answer.status_code == 200:
                return version_of(answer.headers)
        return ""

    def file(self, address: str, name: str, version: str) -> ListedFile:
        return ListedFile(address, name, version, partial(self._read, address, name))

    def _read(self, address: str, name: str) -> bytes:
        try:
            return self.get(address)[0]
        except (httpx2.HTTPError, Refused) as error:
            raise UnreadableFile(f"{name} cannot be fetched: {said(error)}.", advice="Sync again later.") from None


def _login(host: str) -> httpx2.Auth | None:
    with suppress(OSError, netrc.NetrcParseError):
        if found := netrc.netrc().authenticators(host):
            return httpx2.BasicAuth(found[0] or "", found[2] or "")
    return None


def version_of(headers: httpx2.Headers) -> str:
    known = [headers.get("etag", ""), headers.get("last-modified", "")]
    return "-".join([*filter(None, known), headers.get("content-length", "")]) if any(known) else ""


def said(error: Exception) -> str:
    if isinstance(error, httpx2.HTTPStatusError):
        return f"the server answered with status {error.response.status_code}"
    return " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__


@contextmanager
def explained(address: str) -> Iterator[None]:
    """Translates errors that keep the source from being listed."""
    try:
        yield
    except httpx2.InvalidURL as error:
        raise InvalidInput(f"{address} is not an address: {said(error)}.") from None
    except (httpx2.HTTPError, httpx2.StreamError, UnreadableFile) as error:
        raise SourceUnavailable(f"{address} cannot be listed: {said(error)}.") from None


def name_of(address: str) -> str:
    return unquote(urlsplit(address).path).rstrip("/").rpartition("/")[2] or urlsplit(address).hostname or address


@contextmanager
def open_while_listed(wanted: Wanted) -> Iterator[tuple[Web, Listing]]:
    """Keeps the connection open for the files of the listing, unless the listing fails."""
    web = Web(wanted)
    with ExitStack() as on_failure, explained(wanted.address):
        on_failure.callback(web.client.close)
        yield web, Listing(close=web.client.close)
        on_failure.pop_all()


def web_listing(wanted: Wanted) -> Listing:
    scheme, _, rest = wanted.address.partition("://")
    with open_while_listed(wanted) as (web, listing):
        if scheme in ("http", "https"):
            if wanted.address.endswith("/"):
                _index(web, wanted, wanted.address, listing, set())
                listing.files.sort(key=lambda file: file.name)
            else:
                answer = web.client.head(wanted.address)
                if answer.status_code not in (405, 501):
                    answer.raise_for_status()
                listing.files.append(web.file(wanted.address, name_of(wanted.address), version_of(answer.headers)))
        else:
            _collection(web, wanted, f"{'http' if scheme in ('webdav+http', 'dav') else 'https'}://{rest}", listing)
            listing.files.sort(key=lambda file: file.name)
    return listing


def _index(web: Web, wanted: Wanted, folder: str, listing: Listing, seen: set[str], depth: int = 0) -> None:
    """Follows the page of links that a server makes of a folder; takes only what is below it."""
    from selectolax.lexbor import LexborHTMLParser

    body, headers, address = web.get(folder, _PAGE_BYTES)
    if "html" not in headers.get("content-type", ""):
        raise SourceUnavailable(f"{folder} is not a list of files.", advice="Name a file, or a folder that is listed.")
    links = (urljoin(address, link.attributes.get("href") or "") for link in LexborHTMLParser(body).css("a[href]"))
    for link in dict.fromkeys(each for each in links if each.startswith(address) and each != address):
        name = unquote(link.removeprefix(wanted.address))
        if link in seen or "?" in link or "#" in link or wanted.ignore(name.rstrip("/"), is_folder=link.endswith("/")):
            continue
        seen.add(link)
        if link.endswith("/"):
            if depth < _DEEPEST:
                _index(web, wanted, link, listing, seen, depth + 1)
        else:
            listing.files.append(web.file(link, name, web.version(link)))
            require_few(len(listing.files), wanted)


def _collection(web: Web, wanted: Wanted, address: str, listing: Listing) -> None:
    root = urlsplit(address)
    waiting, seen = [root.path or "/"], set[str]()
    while waiting:
        folder = waiting.pop()
        seen.add(folder)
        for path, is_folder, version in _members(web, f"{root.scheme}://{root.netloc}{quote(unquote(folder))}"):
            # A single file has no name below itself.
            name = path.removeprefix(unquote(root.path)).strip("/") or path.rpartition("/")[2]
            if path.rstrip("/") == unquote(folder).rstrip("/") and is_folder:
                continue
            if not unquote(path).startswith(unquote(root.path)) or wanted.ignore(name, is_folder=is_folder):
                continue
            if is_folder:
                waiting += [path] if path not in seen and len(seen) < wanted.settings.sync_max_files else []
                continue
            file = web.file(f"{root.scheme}://{root.netloc}{quote(path)}", name, version)
            is_root = path.rstrip("/") == unquote(root.path).rstrip("/")
            place = wanted.address.rstrip("/") if is_root else f"{wanted.address.rstrip('/')}/{name}"
            listing.files.append(ListedFile(place, name, version, file.read))
            require_few(len(listing.files), wanted)


def _members(web: Web, address: str) -> Iterator[tuple[str, bool, str]]:
    """The members of a collection: path, whether it is a folder, and version."""
    from lxml import etree

    request = {"Depth": "1", "Content-Type": "application/xml"}
    answer = web.client.request("PROPFIND", address, headers=request, content=_PROPERTIES)
    answer.raise_for_status()
    try:
        tree = etree.fromstring(answer.content, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError as error:
        raise SourceUnavailable(f"{address} does not speak WebDAV: {said(error)}.") from None
    for entry in tree.iter("{DAV:}response"):
        facts = {name: entry.findtext(f".//{{DAV:}}get{name}") or "" for name in ("etag", "lastmodified")}
        size = entry.findtext(".//{DAV:}getcontentlength") or ""
        version = "-".join([*filter(None, facts.values()), size]) if any(facts.values()) else ""
        is_folder = entry.find(".//{DAV:}collection") is not None
        yield unquote(urlsplit(entry.findtext("{DAV:}href") or "").path), is_folder, version


_MOST_MAPS = 50
_MAP_BYTES = 50_000_000
_LONGEST_PAUSE = 30.0


def site_listing(wanted: Wanted) -> Listing:
    with open_while_listed(wanted) as (web, listing):
        robots = _robots(web, wanted.address)
        pages = dict(_pages(web, wanted.address))
    allowed = [page for page in pages if robots.can_fetch(AGENT, page)]
    if forbidden := len(pages) - len(allowed):
        pages_are = "1 page is" if forbidden == 1 else f"{forbidden} pages are"
        listing.notes.append(f"{pages_are} not to be read by programs, as the site's robots.txt says.")
    most = wanted.settings.sync_max_pages
    if len(allowed) > most:
        listing.notes.append(f"The first {most} of {len(allowed)} pages are read (MASIS_SYNC_MAX_PAGES).")
    pause = _Pause(min(float(robots.crawl_delay(AGENT) or 0.0), _LONGEST_PAUSE))
    for page in allowed[:most]:
        name = _name(page)
        if not wanted.ignore(name):
            listing.files.append(pause.between(web.file(page, name, pages[page] or pause.version(web, page))))
    return listing


def _name(page: str) -> str:
    path = unquote(urlsplit(page).path).strip("/") or "index"
    return path if "." in path.rpartition("/")[2] else f"{path}.html"


class _Pause:
    """A pause between two requests, whichever thread makes them."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()

    def _wait(self) -> None:
        if self._seconds:
            with self._lock:
                time.sleep(self._seconds)

    def version(self, web: Web, page: str) -> str:
        self._wait()
        return web.version(page)

    def between(self, file: ListedFile) -> ListedFile:
        def read() -> bytes:
            self._wait()
            return file.read()

        return replace(file, read=read)


def _robots(web: Web, address: str) -> RobotFileParser:
    """According to RFC 9309: a missing robots.txt restricts nothing; one that cannot be fetched forbids everything."""
    parts = urlsplit(address)
    robots = RobotFileParser()
    try:
        body = web.get(f"{parts.scheme}://{parts.netloc}/robots.txt", 500_000)[0]
    except httpx2.HTTPStatusError as error:
        robots.parse([] if error.response.status_code < 500 else ["User-agent: *", "Disallow: /"])
    else:
        robots.parse(body.decode("utf-8", "replace").splitlines())
    return robots


def _pages(web: Web, address: str) -> Iterator[tuple[str, str]]:
    """Addresses of pages on the same host, each with its last change if the sitemap states it."""
    from lxml import etree

    host = urlsplit(address).netloc
    waiting, read = [address], 0
    while waiting and read < _MOST_MAPS:
        read += 1
        body, _, _ = web.get(waiting.pop(0), _MAP_BYTES)
        try:
            tree = etree.fromstring(_unpacked(body), etree.XMLParser(resolve_entities=False, no_network=True))
        except (etree.XMLSyntaxError, OSError, EOFError, zlib.error):
            raise SourceUnavailable(f"{address} is not a sitemap.", advice="Check the address.") from None
        for entry in tree.iter("{*}sitemap", "{*}url"):
            place = (entry.findtext("{*}loc") or "").strip()
            if urlsplit(place).netloc != host or not place.startswith(("http://", "https://")):
                continue
            if etree.QName(entry).localname == "sitemap":
                waiting.append(place)
            else:
                yield place, (entry.findtext("{*}lastmod") or "").strip()


def _unpacked(body: bytes) -> bytes:
    if not body.startswith(b"\x1f\x8b"):
        return body
    with gzip.open(io.BytesIO(body)) as packed:
        return packed.read(_MAP_BYTES)
