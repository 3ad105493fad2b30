"""The 20 articles of the single-topic set, as files."""

import csv
import gzip
import io
from pathlib import Path


def write_articles(data: Path, folder: Path) -> Path:
    csv.field_size_limit(10**9)
    folder.mkdir(parents=True, exist_ok=True)
    text = gzip.decompress((data / "documents.csv.gz").read_bytes()).decode()
    for number, document in enumerate(csv.DictReader(io.StringIO(text))):
        (folder / f"article-{number:02}.txt").write_text(document["text"])
    return folder
