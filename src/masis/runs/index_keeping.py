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
            if is_suspect:
                # Once more after a mend: what others ingested meanwhile may have gone into the index that was replaced.
                is_suspect = await _has_mended(parts)
            else:
                await parts.library.answers()
        except IndexLost:
            is_suspect = True
            continue
        except MASISError as error:
            log.error("index_unusable", error=str(error), advice=error.advice)
        except Exception:
            # Whatever it was: nobody would look after the index for as long as this process lives.
            log.exception("index_unusable")
        await asyncio.sleep(LOOK_SECONDS)


async def _has_mended(parts: Parts) -> bool:
    """Whether there was something to mend, here or by another."""
    lost = await parts.library.lost_documents()
    if lost:
        log.error("index_lost", documents=len(lost))
        await _mended(parts)
    return bool(lost)


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
