"""The messages of a mailbox on an IMAP server, imap://ada@mail.example.com/INBOX; nothing there is changed."""

import imaplib
import netrc
import re
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import unquote, urlsplit

from masis.errors import InvalidInput, SourceUnavailable, UnreadableFile
from masis.sources.archives import message_name
from masis.sources.remote.listing import ListedFile, Listing, Wanted, require_few, too_large

_TOGETHER = 500
_SECONDS = 60.0
_PLAIN_PORT = 143
_LOCAL = ("localhost", "127.0.0.1", "::1")
_HEAD = re.compile(rb"UID (\d+).*?RFC822\.SIZE (\d+)|RFC822\.SIZE (\d+).*?UID (\d+)", re.DOTALL)
ERRORS = (imaplib.IMAP4.error, OSError, ValueError)


def mailbox_listing(wanted: Wanted) -> Listing:
    box = Mailbox(wanted)
    try:
        validity, messages = box.messages()
    except ERRORS as error:
        box.close()
        raise SourceUnavailable(f"{wanted.address} cannot be listed: {_said(error)}.") from None
    listing = Listing(close=box.close)
    for uid, size, name in messages:
        if not wanted.ignore(name):
            place = f"{wanted.address.rstrip('/')}/{validity}-{uid}"
            listing.files.append(ListedFile(place, name, str(size), partial(box.read, uid, size, name)))
            require_few(len(listing.files), wanted)
    return listing


class Mailbox:
    def __init__(self, wanted: Wanted) -> None:
        parts = urlsplit(wanted.address)
        self._host, self._port = parts.hostname or "", parts.port
        self._folder = unquote(parts.path.strip("/")) or "INBOX"
        self._settings = wanted.settings
        self._user, self._password = _login(self._host, unquote(parts.username or ""))
        self._server: imaplib.IMAP4 | None = None
        self._lock = threading.Lock()

    def messages(self) -> tuple[str, Sequence[tuple[str, int, str]]]:
        """The validity value that makes the ids unique, and the id, size and name of each message."""
        with self._lock:
            server = self._opened()
            validity = (server.response("UIDVALIDITY")[1] or [b"0"])[0] or b"0"
            found = server.uid("SEARCH", "ALL")[1][0] or b""
            return validity.decode(), list(self._heads(server, found.decode().split()))

    def read(self, uid: str, size: int, name: str) -> bytes:
        if size > self._settings.max_file_bytes:
            raise too_large(name, self._settings)
        try:
            with self._lock:
                found = self._opened().uid("FETCH", uid, "(BODY.PEEK[])")[1]
            return next(bytes(each[1]) for each in found if isinstance(each, tuple))
        except (*ERRORS, StopIteration) as error:
            self.close()
            raise UnreadableFile(f"{name} cannot be fetched: {_said(error)}.", advice="Sync again later.") from None

    def close(self) -> None:
        server, self._server = self._server, None
        if server:
            with suppress(*ERRORS):
                server.logout()

    def _opened(self) -> imaplib.IMAP4:
        if self._server is None:
            server = self._server = self._connected()
            server.login(self._user, self._password)
            said, _ = server.select(f'"{self._folder}"', readonly=True)
            if said != "OK":
                raise imaplib.IMAP4.error(f"there is no folder {self._folder}")
        return self._server

    def _connected(self) -> imaplib.IMAP4:
        """Always encrypted, except on this machine itself."""
        context = ssl.create_default_context()
        if self._port not in (None, 993) and self._host in _LOCAL:
            return imaplib.IMAP4(self._host, self._port or _PLAIN_PORT, timeout=_SECONDS)
        if self._port == _PLAIN_PORT:
            server = imaplib.IMAP4(self._host, _PLAIN_PORT, timeout=_SECONDS)
            server.starttls(context)
            return server
        return imaplib.IMAP4_SSL(self._host, self._port or 993, ssl_context=context, timeout=_SECONDS)

    def _heads(self, server: imaplib.IMAP4, uids: Sequence[str]) -> Iterator[tuple[str, int, str]]:
        fields = "(UID RFC822.SIZE BODY.PEEK[HEADER.FIELDS (SUBJECT DATE)])"
        for first in range(0, len(uids), _TOGETHER):
            answer: Sequence[Any] = server.uid("FETCH", ",".join(uids[first : first + _TOGETHER]), fields)[1]
            for each in answer:
                if isinstance(each, tuple) and (found := _HEAD.search(each[0])):
                    uid, size = found[1] or found[4], found[2] or found[3]
                    # Subjects repeat, ids do not.
                    yield uid.decode(), int(size), f"{message_name(each[1])} {uid.decode()}.eml"


def _login(host: str, user: str) -> tuple[str, str]:
    with suppress(OSError, netrc.NetrcParseError):
        known = netrc.netrc().authenticators(host)
        if known and user in ("", known[0]):
            return known[0] or "", known[2] or ""
    raise InvalidInput(
        f"There is no password for {user or 'a user'} at {host}.",
        advice=f"Write it into ~/.netrc: machine {host} login {user or 'USER'} password …, and chmod 600 the file.",
    )


def _said(error: Exception) -> str:
    return " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
