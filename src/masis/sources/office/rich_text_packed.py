"""Rich text as Outlook packs it (MS-OXRTFCP): references into a window of 4096 bytes that begins with common words."""

_WINDOW = 4096
_PRIMER = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}"
    b"{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier"
    b"{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
_HEADER_BYTES = 16
_LONGEST = 100_000_000


def unpacked(data: bytes) -> bytes:
    """What can be unpacked; a message cut off ends where it is cut."""
    if data[8:12] == b"MELA":
        return data[_HEADER_BYTES:]
    window = bytearray(_PRIMER) + bytearray(_WINDOW - len(_PRIMER))
    place = len(_PRIMER)
    out = bytearray()
    position = _HEADER_BYTES
    while position < len(data) and len(out) < _LONGEST:
        flags = data[position]
        position += 1
        for bit in range(8):
            size = 2 if flags >> bit & 1 else 1
            token = data[position : position + size]
            position += size
            if len(token) < size:
                return bytes(out)
            if size == 1:
                piece = token
            else:
                reference = int.from_bytes(token, "big")
                start, length = reference >> 4, (reference & 15) + 2
                if start == place:
                    return bytes(out)
                piece = _copied(window, start, length, place)
            for byte in piece:
                window[place] = byte
                place = (place + 1) % _WINDOW
            out += piece
    return bytes(out)


def _copied(window: bytearray, start: int, length: int, place: int) -> bytes:
    """A reference may reach into what it is itself writing."""
    copy = bytearray()
    for offset in range(length):
        source = (start + offset) % _WINDOW
        ahead = (source - place) % _WINDOW
        copy.append(copy[ahead] if ahead < offset else window[source])
    return bytes(copy)
