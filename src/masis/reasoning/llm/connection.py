"""Opening the provider's SDK.

A connection belongs to the event loop it was opened in, and MASIS is called from many (`graph.invoke`, a
second `asyncio.run`, a server's threads). So every model call opens its own and closes it: nothing outlives
its loop. That costs 0.3 ms and one handshake per model call, of the seconds such a call takes.
"""

import asyncio
import importlib
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from masis.errors import ModelRejected
from masis.reasoning.llm.failures import Redactor
from masis.settings import Settings

if TYPE_CHECKING:
    from openai import AsyncOpenAI

CONNECT_SECONDS = 10.0
"""A server that is there takes a connection at once."""

NO_KEY_NEEDED = "not-needed"
"""What local servers are sent: the SDK insists on some key."""


class Connector:
    """Where the models are and how to get in."""

    def __init__(self, settings: Settings) -> None:
        self._base_url = settings.model_base_url
        self._key = settings.openai_api_key
        self._silence = settings.model_timeout_seconds

    @property
    def redactor(self) -> Redactor:
        key = self._key.get_secret_value().strip() if self._key else ""
        address = urlsplit(self._base_url or "")
        return Redactor(tuple(secret for secret in (key, address.password) if secret))

    @asynccontextmanager
    async def open(self) -> AsyncIterator["AsyncOpenAI"]:
        key = self._checked_key()
        # The SDK's import and the certificates take half a second the first time: not on the event loop.
        certificates = await asyncio.to_thread(_load)
        import httpx2
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient

        async with AsyncOpenAI(
            api_key=key,
            base_url=self._checked_address(),
            timeout=httpx2.Timeout(self._silence, connect=min(self._silence, CONNECT_SECONDS)),
            max_retries=0,
            http_client=DefaultAsyncHttpxClient(verify=certificates),
        ) as sdk:
            yield sdk

    def _checked_key(self) -> str:
        key = self._key.get_secret_value().strip() if self._key else ""
        if not key.isascii() or not key.isprintable():
            raise ModelRejected("OPENAI_API_KEY holds characters that no key has.")
        if not key and not self._base_url:
            raise ModelRejected("Neither OPENAI_API_KEY nor MASIS_MODEL_BASE_URL is set.")
        return key or NO_KEY_NEEDED

    def _checked_address(self) -> str | None:
        if self._base_url is None:
            return None
        address = urlsplit(self._base_url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise ModelRejected("MASIS_MODEL_BASE_URL is no address: it has to look like http://host:port/v1.")
        return self._base_url


@cache
def _load() -> ssl.SSLContext:
    import httpx2

    importlib.import_module("openai")
    return httpx2.create_ssl_context()
