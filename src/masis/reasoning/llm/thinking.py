"""What a reasoning model thinks aloud between `<think>` and `</think>` is not its answer."""

OPEN, CLOSE = "<think>", "</think>"


class ThinkFilter:
    """Lets the answer through, piece by piece as it streams in, and holds the thinking back."""

    def __init__(self) -> None:
        self._held = ""
        self._inside = False
        self._answered = False

    def feed(self, piece: str) -> str:
        """What of the text so far is now known to be answer."""
        self._held += piece
        passed = ""
        while (at := self._held.find(CLOSE if self._inside else OPEN)) >= 0:
            passed += self._cross_tag(at)
        if not self._inside:
            passed += self._note(self._release())
        return passed

    def close(self) -> str:
        """What was held back at the end of the text, unless it is thinking that was never finished."""
        held, inside = self._held, self._inside
        self._held, self._inside = "", False
        if not inside:
            return self._note(held)
        # A tag the model only quotes in the middle of its answer must not swallow the rest of it.
        return OPEN + held if self._answered else ""

    def _cross_tag(self, at: int) -> str:
        before, tag = self._held[:at], CLOSE if self._inside else OPEN
        passed = "" if self._inside else before
        self._held = self._held[at + len(tag) :]
        self._inside = not self._inside
        return self._note(passed)

    def _release(self) -> str:
        """All that is held, but for what may be the beginning of a tag."""
        kept = next((n for n in range(len(OPEN) - 1, 0, -1) if self._held.endswith(OPEN[:n])), 0)
        released, self._held = self._held[: len(self._held) - kept], self._held[len(self._held) - kept :]
        return released

    def _note(self, passed: str) -> str:
        """Blank lines between the thinking and the answer belong to neither."""
        if not self._answered:
            passed = passed.lstrip()
        self._answered = self._answered or bool(passed)
        return passed


def without_thinking(text: str) -> str:
    """The answer alone. Where only the closing tag came (the template opened it), thinking is all before."""
    opened, closed = text.find(OPEN), text.find(CLOSE)
    if closed >= 0 and not 0 <= opened < closed:
        text = text[closed + len(CLOSE) :]
    filter_ = ThinkFilter()
    return (filter_.feed(text) + filter_.close()).strip()
