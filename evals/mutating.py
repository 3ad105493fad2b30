"""Deliberate damage to good files: bit flips, truncation, splices. The same seed gives the same files."""

import io
import random
import zipfile
from collections.abc import Callable, Iterator, Sequence

NamedFile = tuple[str, bytes]
_MAX_PARTS = 300


def mutated(files: Sequence[NamedFile], count: int, seed: int) -> Iterator[NamedFile]:
    """Reproducible one by one: file number n of a seed does not depend on those before it."""
    for number in range(count):
        chance = random.Random(f"{seed}/{number}")
        name, data = chance.choice(files)
        _, other = chance.choice(files)
        yield name, _inside_container(data, other, chance) or _damaged(data, other, chance)


def _inside_container(data: bytes, other: bytes, chance: random.Random) -> bytes | None:
    """Half of the time an inner part is damaged, because damage to compressed bytes seldom gets past the checksums."""
    if not data.startswith(b"PK") or chance.random() < 0.5:
        return None
    with zipfile.ZipFile(io.BytesIO(data)) as container:
        parts = {name: container.read(name) for name in container.namelist()[:_MAX_PARTS]}
    victim = chance.choice(sorted(parts))
    parts[victim] = _damaged(parts[victim], other, chance)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as container:
        for name, part in parts.items():
            container.writestr(name, part)
    return buffer.getvalue()


def _damaged(data: bytes, other: bytes, chance: random.Random) -> bytes:
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        data = chance.choice(_WAYS)(data or b"\x00", other, chance)
    return data


def _place(data: bytes, chance: random.Random) -> tuple[int, int]:
    start = chance.randrange(len(data))
    return start, min(len(data), start + chance.choice((1, 2, 4, 16, 256, 4096)))


def _flip_bits(data: bytes, _: bytes, chance: random.Random) -> bytes:
    broken = bytearray(data)
    for _ in range(chance.choice((1, 3, 10, 100))):
        broken[chance.randrange(len(broken))] ^= 1 << chance.randrange(8)
    return bytes(broken)


def _overwrite(data: bytes, _: bytes, chance: random.Random) -> bytes:
    start, end = _place(data, chance)
    filler = chance.choice((b"\x00", b"\xff", b"\x7f", b"9", b"<", b"(", chance.randbytes(1)))
    return data[:start] + filler * (end - start) + data[end:]


def _truncate(data: bytes, _: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data)) + 1]


def _cut(data: bytes, _: bytes, chance: random.Random) -> bytes:
    start, end = _place(data, chance)
    return data[:start] + data[end:]


def _repeat(data: bytes, _: bytes, chance: random.Random) -> bytes:
    start, end = _place(data, chance)
    return data[:end] + data[start:end] * chance.choice((1, 2, 50)) + data[end:]


def _splice(data: bytes, other: bytes, chance: random.Random) -> bytes:
    start, end = _place(data, chance)
    first, last = _place(other, chance)
    return data[:start] + other[first:last] + data[end:]


def _join(data: bytes, other: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data)) + 1] + other[chance.randrange(len(other)) :]


_WAYS: tuple[Callable[[bytes, bytes, random.Random], bytes], ...] = (
    *(_flip_bits, _flip_bits, _overwrite, _truncate, _cut, _repeat, _splice, _join),
)
