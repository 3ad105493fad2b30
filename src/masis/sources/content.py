"""What a file was found to be."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Content:
    extension: str | None
    """What such a file is usually named, `.txt` for any kind of text; None for what no parser reads."""
    description: str
    trait: Literal["", "damaged", "encrypted", "image"] = ""
