"""Keeps secrets out of what people and machines read."""

import json
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote, urlsplit

from pydantic import SecretStr

from masis.settings import Settings

HIDDEN = "…"

_SHAPES = [
    # A key of this service: its id may be seen, its secret not.
    (re.compile(r"\b(masis_[A-Za-z0-9]+_)[A-Za-z0-9_-]{40,}"), rf"\1{HIDDEN}"),
    (re.compile(r"(?<![A-Za-z0-9])(sk-)[A-Za-z0-9_-]{6,}"), rf"\1{HIDDEN}"),
    (re.compile(r"\b(Bearer|Basic)(\s+)[A-Za-z0-9._~+/=-]{6,}", re.IGNORECASE), rf"\1\2{HIDDEN}"),
    (re.compile(r"(://[^\s/:@\"\\]*:)[^\s/@\"\\]+(@)"), rf"\1{HIDDEN}\2"),
    (re.compile(r"([?&](?:api_?key|key|token|password|secret)=)[^\s&#\"\\]+", re.IGNORECASE), rf"\1{HIDDEN}"),
]
_SECRET_NAMES = re.compile(r"authorization|cookie|passw(or)?d|secret|api[-_]?key|(^|[-_])token$", re.IGNORECASE)


class Redaction:
    """Secrets are known by their shape, by the name they are given, and, those of the settings, by heart."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        as_written = {form for secret in secrets for form in (secret, json.dumps(secret, ensure_ascii=False)[1:-1])}
        longest_first = sorted(as_written - {""}, key=len, reverse=True)
        self._known = re.compile("|".join(re.escape(secret) for secret in longest_first)) if longest_first else None

    def text(self, words: str) -> str:
        if self._known:
            words = self._known.sub(HIDDEN, words)
        for shape, instead in _SHAPES:
            words = shape.sub(instead, words)
        return words

    def named(self, value: Any) -> Any:
        """The same value, without what is called a password, a key or a token at any depth."""
        if isinstance(value, dict):
            return {name: HIDDEN if _is_secret(name) else self.named(held) for name, held in value.items()}
        if isinstance(value, list | tuple):
            return [self.named(held) for held in value]
        return value


def secrets_of(settings: Settings) -> list[str]:
    """Every key of the settings, and the passwords inside their addresses."""
    values = [getattr(settings, name) for name in type(settings).model_fields]
    keys = [value.get_secret_value().strip() for value in values if isinstance(value, SecretStr)]
    passwords = [password for value in values if isinstance(value, str) for password in _passwords_in(value)]
    return [secret for secret in [*keys, *passwords] if secret]


def _passwords_in(address: str) -> list[str]:
    try:
        password = urlsplit(address).password if "://" in address else None
    except ValueError:
        return []
    return [password, unquote(password)] if password else []


def _is_secret(name: object) -> bool:
    return isinstance(name, str) and bool(_SECRET_NAMES.search(name))
