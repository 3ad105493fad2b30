"""What a key's token looks like, and what is kept of it."""

import hashlib
import hmac
import re
import secrets

TOKEN = re.compile(r"masis_([0-9a-f]{12})_[0-9a-f]{64}")
"""`masis_<key_id>_<secret>`: 256 random bits. A fixed form, so that tools that look for leaked secrets know it."""


def new_token() -> str:
    return f"masis_{secrets.token_hex(6)}_{secrets.token_hex(32)}"


def key_id_of(token: str) -> str | None:
    """None for what cannot be a token."""
    match = TOKEN.fullmatch(token)
    return match[1] if match else None


def prefix_of(key_id: str) -> str:
    return f"masis_{key_id}"


def digest(token: str, secret: bytes) -> str:
    # Random bits need no slow hash, and without the secret a stolen table proves nothing about a guess.
    return hmac.new(secret, token.encode(), hashlib.sha256).hexdigest()


def without_tokens(text: str) -> str:
    """For whatever is written down: a token that got into it is cut to its id."""
    return TOKEN.sub(lambda match: f"{prefix_of(match[1])}_…", text)
