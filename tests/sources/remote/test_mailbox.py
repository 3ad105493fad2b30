"""Messages of a mailbox on a real IMAP server, and a mailbox in one file."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from masis.errors import InvalidInput, SourceUnavailable, UnreadableFile
from masis.sources.parse import parse
from masis.sources.remote.listing import Listing
from tests.support.servers import free_port

Look = Callable[..., Listing]


def message(subject: str, text: str) -> bytes:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "ada@example.com", "bob@example.com", subject
    made["Date"] = "Fri, 01 Mar 2024 10:00:00 +0000"
    made.set_content(text)
    return made.as_bytes()


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    pytest.importorskip("pymap")
    port = free_port()
    words = f"--host 127.0.0.1 --port {port} --no-service admin --no-tls dict --demo-data".split()
    program = "import sys; from pymap.main import main; sys.exit(main())"
    with subprocess.Popen([sys.executable, "-W", "ignore", "-c", program, *words]) as process:
        monkeypatch.setenv("HOME", str(tmp_path))
        yield f"imap://demouser@127.0.0.1:{port}"
        process.terminate()


def test_the_messages_of_a_folder(server: str, tmp_path: Path, listing_of: Look) -> None:
    with pytest.raises(InvalidInput, match="no password for demouser"):
        listing_of(f"{server}/INBOX")
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login demouser password demopass\n")
    (tmp_path / ".netrc").chmod(0o600)
    found = _when_ready(listing_of, f"{server}/INBOX")
    assert len(found.files) >= 4
    first = found.files[0]
    assert first.name.endswith(" 101.eml")
    assert b"Subject:" in first.read()
    assert len({file.place for file in found.files}) == len(found.files)
    again = listing_of(f"{server}/INBOX")
    assert [(f.place, f.version) for f in again.files] == [(f.place, f.version) for f in found.files]
    with pytest.raises(UnreadableFile, match="larger"):
        listing_of(f"{server}/INBOX", max_file_bytes=3).files[0].read()
    with pytest.raises(SourceUnavailable, match="no folder"):
        listing_of(f"{server}/Nowhere")


def _when_ready(listing_of: Look, address: str) -> Listing:
    deadline = time.monotonic() + 30
    while True:
        try:
            return listing_of(address)
        except SourceUnavailable as error:
            if "refused" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def test_a_mailbox_in_one_file_is_its_messages() -> None:
    box = b"".join(
        b"From ada@example.com Fri Mar  1 10:00:00 2024\n" + message(*each) + b"\n"
        for each in [("Budget", "The budget is 4 million.\n>From here on it grows."), ("Re: Budget", "Agreed.")]
    )
    found = parse(box, "archive.mbox")
    assert [member.name for member in found.members] == ["2024-03-01 Budget.eml", "2024-03-01 Re Budget.eml"]
    assert b"\nFrom here on" in found.members[0].data
    assert parse(found.members[1].data, found.members[1].name).pages[0].text.endswith("Agreed.")
    assert parse(b"From here on, we agree.\n\nFrom me.\n", "note.txt").members == ()
