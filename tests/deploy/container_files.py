"""What the container files say, read as far as the checks need it."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from masis.settings import Settings

ROOT = Path(__file__).parents[2]
COMPOSE_TEXT = (ROOT / "compose.yaml").read_text()
COMPOSE: dict[str, Any] = YAML(typ="safe", pure=True).load(COMPOSE_TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = ("api", "worker")


@dataclass(frozen=True)
class Instruction:
    name: str
    arguments: str

    @property
    def words(self) -> list[str]:
        """Its arguments without options, as a list in JSON or parted by spaces."""
        if self.arguments.startswith("["):
            words: list[str] = json.loads(self.arguments)
            return words
        return [word for word in self.arguments.split() if not word.startswith("--")]


def dockerfile() -> list[Instruction]:
    lines = (line for line in (ROOT / "Dockerfile").read_text().splitlines() if not line.startswith("#"))
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [Instruction(*line.split(maxsplit=1)) for line in joined.splitlines() if line]


def last(name: str) -> Instruction:
    """The one that counts in the image."""
    return [instruction for instruction in dockerfile() if instruction.name == name][-1]


def health_command() -> list[str]:
    """What the image runs to learn whether it is well."""
    command: list[str] = json.loads(last("HEALTHCHECK").arguments.partition("CMD ")[2])
    return command


def example_variables() -> dict[str, str]:
    lines = (ROOT / ".env.example").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def used_variables() -> set[str]:
    return set(re.findall(r"\$\{(\w+)", COMPOSE_TEXT))


def setting_names() -> set[str]:
    """Every name in the environment that MASIS reads."""
    names = {f"MASIS_{name.upper()}" for name in Settings.model_fields}
    for field in Settings.model_fields.values():
        choices = getattr(field.validation_alias, "choices", [])
        names |= {str(choice) for choice in choices if str(choice).isupper()}
    return names
