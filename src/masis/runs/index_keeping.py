"""An index that lost passages is mended from what the database holds, by one worker at a time."""

import asyncio

import structlog

from masis.errors import IndexLost, MASISError
from masis.jobs.queue import Job
from masis.jobs.worker import only_here, stay_alive
from masis.runs.parts import Parts

LOOK_SECONDS = 60.0
_JOB = Job("index", "index", "")
log = structlog.get_logger("masis.worker")


async def keeping_index(parts: Parts) -> None:
    """At the start everything is counted; after that a few documents are looked at, now and then."""
    is_suspect = True
    while True:
        try:
            if not is_suspect:
                await parts.library.answers()
            elif lost := await parts.library.lost_documents():
                log.error("index_lost", documents=len(lost))
                await _mended(parts)
            is_suspect = False
        except IndexLost:
            is_suspect = True
            continue
        except MASISError as error:
            log.error("index_unusable", error=str(error), advice=error.advice)
        await asyncio.sleep(LOOK_SECONDS)


async def _mended(parts: Parts) -> None:
    async with only_here(parts.queue, _JOB) as lease:
        if lease is None:
            return
        try:
            log.warning("index_rebuilt", passages=await parts.library.mend_index())
        except asyncio.CancelledError:
            if not lease.lost:
                raise
            stay_alive()  # another does it
