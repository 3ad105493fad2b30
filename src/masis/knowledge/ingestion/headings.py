"""The headings a passage stands under, followed through the document."""

from collections.abc import Sequence

from masis.knowledge.ingestion.layout import Line

_PART_CHARS = 320


class HeadingPath:
    def __init__(self) -> None:
        self._open: list[Line] = []

    def above(self, leading: Sequence[Line]) -> list[str]:
        """The open headings, without those that a passage's own first headings will close."""
        level = min((line.level for line in leading), default=7)
        return [line.title for line in self._open if line.level < level]

    def pass_over(self, headings: Sequence[Line]) -> None:
        for line in headings:
            while self._open and self._open[-1].level >= line.level:
                self._open.pop()
            self._open.append(line)


def join_headings(parts: Sequence[str]) -> str | None:
    return " > ".join(part[:_PART_CHARS] for part in parts if part) or None
