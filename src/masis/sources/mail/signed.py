"""Mail inside its own signature (S/MIME, opaque): the message is one field of the signed data (CMS, in BER)."""

from dataclasses import dataclass

_SIGNED = bytes.fromhex("2a864886f70d010702")
_OCTETS, _OBJECT, _CONSTRUCTED = 0x04, 0x06, 0x20
_MAX_DEPTH = 12


@dataclass(frozen=True, slots=True)
class _Field:
    tag: int
    data: bytes
    fields: tuple["_Field", ...]


def signed_content(data: bytes) -> bytes | None:
    """The message; None when this is not signed data but, for instance, encrypted."""
    fields, _ = _read(data, 0, len(data), 0)
    outer = fields[0].fields if fields else ()
    if len(outer) < 2 or outer[0].tag != _OBJECT or outer[0].data != _SIGNED:
        return None
    signed = outer[1].fields[0].fields if outer[1].fields else ()
    # Version and digests come first, then the kind of the content and the content itself.
    content = signed[2].fields[1:2] if len(signed) > 2 else ()
    return b"".join(_octets(each) for each in content) or None


def _octets(field: _Field) -> bytes:
    """A long string is cut into several."""
    if field.tag == _OCTETS:
        return field.data
    return b"".join(_octets(each) for each in field.fields)


def _read(data: bytes, position: int, end: int, depth: int) -> tuple[tuple[_Field, ...], int]:
    fields = []
    while position + 2 <= end and depth < _MAX_DEPTH:
        tag, size = data[position], data[position + 1]
        position += 2
        if tag == 0 and size == 0:
            break
        if size == 0x80:
            inner, after = _read(data, position, end, depth + 1)
        else:
            length = int.from_bytes(data[position : position + (size & 127)], "big") if size > 0x80 else size
            position += size & 127 if size > 0x80 else 0
            after = min(position + length, end)
            inner = _read(data, position, after, depth + 1)[0] if tag & _CONSTRUCTED else ()
        fields.append(_Field(tag, data[position:after] if not inner else b"", inner))
        position = after
    return tuple(fields), position
