"""Takes what was deleted out of the files of an embedded index.

The engine marks deleted points and keeps their bytes, in its segments and in its log. Optimizing rewrites every
segment that lost a point (0.8 s at 20,000 points, 5 s at 100,000); the log is pushed on until its files with old
writes fall out. The engine holds Python's lock all the while, so a large index is purged by a process of its own.
"""

import subprocess
import sys
from pathlib import Path

from masis.errors import DataFolderError
from masis.knowledge.store.edge_shard import load_shard, translated

_SMALL = 10_000
_LOG_FILE_BYTES = 32 << 20
_LOG_FILES = 2
"""The one being written, and the closed one before it: the engine keeps no more."""


def purge(folder: Path, dimension: int, points: int, where: str) -> None:
    """The index must be closed, and held by this process."""
    if points <= _SMALL:
        purge_here(folder, dimension, where)
        return
    command = [sys.executable, "-P", "-m", __name__, str(folder), str(dimension), where]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise DataFolderError(f"{where} could not be purged: {done.stderr.strip()[-300:]}")


def purge_here(folder: Path, dimension: int, where: str) -> None:
    from qdrant_edge import FieldCondition, Filter, MatchValue, UpdateOperation

    shard = load_shard(folder, dimension, where)
    with translated(where):
        shard.optimize()
        shard.flush()
        # Does nothing, at a length that fits into no file of the log beside anything else.
        nobody = Filter(must=[FieldCondition("workspace_id", match=MatchValue(""))])
        filler = UpdateOperation.delete_payload_by_filter(nobody, ["-" * (_LOG_FILE_BYTES + 1)])
        for _ in range(_LOG_FILES):
            shard.update(filler)
            shard.flush()
        shard.close()


if __name__ == "__main__":
    purge_here(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
