"""Sessions of the page: a signed ticket stands for a key and always has the key's current rights."""

import base64
import binascii
import hashlib
import hmac
import json
import secrets
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from masis.access.audit_log import access_database, secret_for
from masis.database import Schema, open_database
from masis.errors import Forbidden, RateLimited, Unauthorized
from masis.settings import Settings

COOKIE = "masis_session"
CSRF_HEADER = "X-CSRF-Token"
SESSION_SECONDS = 12 * 3600
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

SIGN_INS = 10
SIGN_IN_SECONDS = 60.0
_MOST_ADDRESSES = 10_000

SCHEMA = Schema(
    "sessions",
    ("CREATE TABLE ended_sessions (session_id TEXT PRIMARY KEY, ends_at REAL NOT NULL);",),
)


@dataclass(frozen=True, slots=True)
class Session:
    session_id: str
    key_id: str
    ends_at: float
    csrf: str
    """Required in addition to the cookie for requests that change something, because browsers send cookies
    automatically."""

    def require_csrf(self, method: str, shown: str | None) -> None:
        if method in SAFE_METHODS:
            return
        if not shown or not hmac.compare_digest(shown.encode(), self.csrf.encode()):
            raise Forbidden(
                "The session's CSRF token is missing or wrong.",
                advice=f"Send the `csrf` of GET /masis/session as {CSRF_HEADER}, or use a key.",
            )


class Sessions:
    def __init__(self, settings: Settings, *, clock: Callable[[], float] = time.time) -> None:
        self._settings = settings
        self._database = open_database(settings, SCHEMA)
        self._clock = clock

    def opened_for(self, key_id: str) -> tuple[Session, str]:
        """Returns the session, and the ticket for the cookie."""
        session_id, ends_at = secrets.token_hex(16), self._clock() + SESSION_SECONDS
        body = base64.urlsafe_b64encode(json.dumps([session_id, key_id, ends_at]).encode()).decode()
        return self._session(session_id, key_id, ends_at), f"{body}.{self._mark('ticket', body)}"

    def of(self, ticket: str) -> Session:
        """Raises Unauthorized. Does not check whether the key is still valid."""
        body, _, mark = ticket.partition(".")
        if not hmac.compare_digest(mark.encode(), self._mark("ticket", body).encode()):
            raise _not_signed_in()
        session_id, key_id, ends_at = _read(body)
        if ends_at <= self._clock() or self._has_ended(session_id):
            raise _not_signed_in()
        return self._session(session_id, key_id, ends_at)

    def end(self, session: Session) -> None:
        """Also invalidates copies of the cookie."""
        with self._database.writing() as db:
            db.execute("DELETE FROM ended_sessions WHERE ends_at <= ?", (self._clock(),))
            db.execute(
                "INSERT INTO ended_sessions (session_id, ends_at) VALUES (?, ?) ON CONFLICT (session_id) DO NOTHING",
                (session.session_id, session.ends_at),
            )

    def _has_ended(self, session_id: str) -> bool:
        with self._database.reading() as db:
            found = db.execute("SELECT 1 FROM ended_sessions WHERE session_id = ?", (session_id,)).fetchone()
        return found is not None

    def _session(self, session_id: str, key_id: str, ends_at: float) -> Session:
        return Session(session_id, key_id, ends_at, self._mark("csrf", session_id))

    def _mark(self, purpose: str, text: str) -> str:
        return hmac.new(self._secret, f"{purpose} {text}".encode(), hashlib.sha256).hexdigest()

    @cached_property
    def _secret(self) -> bytes:
        return secret_for("sessions", self._settings, access_database(self._settings))


def _read(body: str) -> tuple[str, str, float]:
    try:
        session_id, key_id, ends_at = json.loads(base64.urlsafe_b64decode(body))
        return str(session_id), str(key_id), float(ends_at)
    except (ValueError, TypeError, binascii.Error):
        raise _not_signed_in() from None


def _not_signed_in() -> Unauthorized:
    return Unauthorized(
        "You are not signed in, or your session has ended.", advice="Sign in with a key: POST /masis/session."
    )


class SignInLimit:
    """Counts the attempts of one address in this process. A key cannot be guessed, but trying must have a cost."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._attempts: dict[str, deque[float]] = {}

    def count(self, address: str) -> None:
        now = self._clock()
        self._forget_old(now)
        attempts = self._attempts.setdefault(address, deque())
        while attempts and attempts[0] + SIGN_IN_SECONDS <= now:
            attempts.popleft()
        if len(attempts) >= SIGN_INS:
            wait = attempts[0] + SIGN_IN_SECONDS - now
            raise RateLimited(
                f"There were {SIGN_INS} attempts to sign in from this address within {SIGN_IN_SECONDS:g} seconds; "
                f"{wait:.0f} seconds to go.",
                retry_after=max(wait, 1.0),
            )
        attempts.append(now)

    def _forget_old(self, now: float) -> None:
        if len(self._attempts) < _MOST_ADDRESSES:
            return
        recent = {each: at for each, at in self._attempts.items() if at and at[-1] + SIGN_IN_SECONDS > now}
        if len(recent) >= _MOST_ADDRESSES:
            # More addresses than this per minute are a flood: better to lose counts than memory.
            recent = {each: at for each, at in recent.items() if len(at) >= SIGN_INS}
        self._attempts = recent
