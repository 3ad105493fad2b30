import hashlib
import io
import zipfile

import httpx
import pytest

from tests.api.live import DOCUMENTS, uploads

ACME = "/masis/workspaces/acme"


def test_an_upload_is_followed_to_its_end(client: httpx.Client) -> None:
    accepted = client.post("/masis/workspaces/up/documents", files=uploads(**{"a.md": "Alpha.", "b.md": "Beta."}))
    assert accepted.status_code == 202
    with client.stream("GET", f"{accepted.headers['location']}/events") as stream:
        lines = list(stream.iter_lines())
    assert [line for line in lines if line.startswith("event:")][-1] == "event: done"
    ingestion = client.get(accepted.headers["location"]).json()
    assert {(file["file_name"], file["stage"]) for file in ingestion["files"]} == {("a.md", "ready"), ("b.md", "ready")}
    assert client.get("/masis/workspaces/up/ingestions").json()["items"][0] == ingestion
    assert client.get("/masis/workspaces/up/documents").json()["items"][0]["status"] == "READY"


def test_waiting_answers_when_it_is_done(client: httpx.Client) -> None:
    done = client.post("/masis/workspaces/waited/documents?wait=true", files=uploads(**{"a.md": "Alpha."}))
    assert done.status_code == 201
    assert done.json()["status"] == "done"


def test_the_same_bytes_twice_are_a_conflict_that_names_them(client: httpx.Client) -> None:
    refused = client.post(f"{ACME}/documents", files=uploads(**{"other-name.md": DOCUMENTS["post-mortem.md"]}))
    assert refused.status_code == 409
    assert refused.json()["code"] == "duplicate_document"
    known = hashlib.sha256(DOCUMENTS["post-mortem.md"].encode()).hexdigest()
    assert [each["document_id"] for each in refused.json()["documents"]] == [known]


def test_one_duplicate_among_several_is_listed_and_the_rest_goes_on(client: httpx.Client) -> None:
    files = uploads(**{"new.md": "Gamma rays.", "again.md": "Gamma rays.", "old.md": DOCUMENTS["post-mortem.md"]})
    client.post("/masis/workspaces/some/documents?wait=true", files=files[2:]).raise_for_status()
    done = client.post("/masis/workspaces/some/documents?wait=true", files=files)
    assert done.status_code == 201
    assert [each["file_name"] for each in done.json()["duplicates"]] == ["again.md", "old.md"]
    assert [file["file_name"] for file in done.json()["files"]] == ["new.md"]


def test_a_document_is_read_to_the_character(client: httpx.Client) -> None:
    listed = client.get(f"{ACME}/documents", params={"status": "READY"}).json()["items"]
    document = next(each for each in listed if each["file_name"] == "annual-report.md")
    here = f"{ACME}/documents/{document['document_id']}"
    assert client.get(here).json() == document
    original = client.get(f"{here}/original")
    assert original.text == DOCUMENTS["annual-report.md"]
    assert original.headers["content-type"] == "application/octet-stream"
    assert original.headers["content-disposition"].startswith("attachment")
    text = client.get(f"{here}/text").json()
    found = client.get(f"{ACME}/search", params={"q": "customer churn"}).json()
    passage = next(each for each in found if each["document_id"] == document["document_id"])
    exact = client.get(f"{here}/passages/{passage['chunk_id']}").json()
    assert exact["text"] == text["text"][exact["start"] : exact["end"]]
    whole = client.get(f"{here}/passages/{passage['chunk_id']}", params={"section": True}).json()
    assert passage["text"].split("\n")[-1] in whole["text"]
    assert whole["end"] - whole["start"] == len(whole["text"]) >= len(passage["text"].lstrip("# "))
    joined = client.get(f"{here}/passages/joined", params={"start": 3, "end": 40}).json()
    assert joined["text"] == text["text"][3:40]
    assert client.get(f"{here}/passages/joined", params={"start": 3, "end": 10**6}).status_code == 404


def test_a_table_is_read_cell_by_cell(client: httpx.Client) -> None:
    client.post("/masis/workspaces/cells/documents?wait=true", files=uploads(**{"ports.csv": "Port,Ships\nHull,12\n"}))
    (document,) = client.get("/masis/workspaces/cells/documents").json()["items"]
    read = client.get(f"/masis/workspaces/cells/documents/{document['document_id']}/text").json()
    (block,) = [block for block in read["blocks"] if block["kind"] == "table"]
    assert block["table"]["header"] == ["Port", "Ships"]
    assert [[read["text"][start:end] for start, end in row] for row in block["table"]["rows"]] == [["Hull", "12"]]


def test_a_passage_of_another_document_is_not_here(client: httpx.Client) -> None:
    found = client.get(f"{ACME}/search", params={"q": "gateway outage"}).json()[0]
    other = hashlib.sha256(DOCUMENTS["board-memo.md"].encode()).hexdigest()
    missing = client.get(f"{ACME}/documents/{other}/passages/{found['chunk_id']}")
    assert (missing.status_code, missing.json()["code"]) == (404, "unknown_passage")


def test_documents_come_in_pages(client: httpx.Client) -> None:
    first = client.get(f"{ACME}/documents", params={"limit": 2}).json()
    second = client.get(f"{ACME}/documents", params={"limit": 2, "cursor": first["next_cursor"]}).json()
    names = [each["file_name"] for each in first["items"] + second["items"]]
    assert names == sorted(DOCUMENTS)
    assert second["next_cursor"] is None


def test_a_page_goes_on_where_its_last_document_was_deleted(client: httpx.Client) -> None:
    here = "/masis/workspaces/bordered/documents"
    files = uploads(**{f"{letter} ünï.md": f"Letter {letter}." for letter in "abcd"})
    client.post(f"{here}?wait=true", files=files).raise_for_status()
    first = client.get(here, params={"limit": 2}).json()
    client.delete(f"{here}/{first['items'][-1]['document_id']}").raise_for_status()
    second = client.get(f"{here}?limit=2&cursor={first['next_cursor']}").json()
    assert [each["file_name"] for each in second["items"]] == ["c ünï.md", "d ünï.md"]


def test_bytes_that_are_on_their_way_are_a_conflict_too(idle_client: httpx.Client) -> None:
    here = f"{ACME}/documents"
    first = idle_client.post(here, files=uploads(**{"waits.md": "Epsilon."}))
    again = idle_client.post(here, files=uploads(**{"again.md": "Epsilon."}))
    assert (first.status_code, again.status_code) == (202, 409)
    assert again.json()["code"] == "duplicate_document"
    assert [each["file_name"] for each in again.json()["documents"]] == ["again.md"]
    some = idle_client.post(here, files=uploads(**{"again.md": "Epsilon.", "new.md": "Zeta."})).json()
    assert [each["file_name"] for each in some["duplicates"]] == ["again.md"]
    assert [each["file_name"] for each in some["files"]] == ["new.md"]
    idle_client.post(f"{first.headers['location']}/cancel").raise_for_status()
    assert idle_client.post(here, files=uploads(**{"again.md": "Epsilon."})).status_code == 202


def test_deleting_gives_a_receipt_and_the_file_may_come_again(client: httpx.Client) -> None:
    files = uploads(**{"gone.md": "Delta."})
    client.post("/masis/workspaces/del/documents?wait=true", files=files)
    known = hashlib.sha256(b"Delta.").hexdigest()
    receipt = client.delete(f"/masis/workspaces/del/documents/{known}")
    assert receipt.json()["file_names"] == ["gone.md"]
    assert client.delete(f"/masis/workspaces/del/documents/{known}").status_code == 404
    assert client.post("/masis/workspaces/del/documents?wait=true", files=files).status_code == 201


@pytest.mark.parametrize("name", ["../../etc/passwd", "..\\..\\boot.ini", "/etc/shadow", "a\x00b", "", "😀" * 300])
def test_what_a_client_calls_a_file_is_a_label(client: httpx.Client, name: str) -> None:
    done = client.post(
        "/masis/workspaces/names/documents?wait=true", files=uploads(**{name or " ": f"Text of {name!r}"})
    )
    assert done.status_code == 201
    kept = done.json()["files"][0]["file_name"]
    assert not set(kept) & set("/\\\x00")
    assert len(kept) <= 255


def test_a_file_that_cannot_be_read_says_so_and_nothing_breaks(client: httpx.Client) -> None:
    done = client.post("/masis/workspaces/bad/documents?wait=true", files=[("files", ("x.pdf", b"%PDF-1.7 no"))])
    assert done.status_code == 201
    [file] = done.json()["files"]
    assert (file["stage"], bool(file["reason"])) == ("failed", True)


def test_a_zip_bomb_is_refused_and_the_service_lives(client: httpx.Client) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"{number}.txt", b"0" * 10_000_000)
    done = client.post("/masis/workspaces/bomb/documents?wait=true", files=[("files", ("b.zip", packed.getvalue()))])
    assert done.status_code == 201
    assert "ready" not in {file["stage"] for file in done.json()["files"]}
    assert client.get("/ready").status_code == 200


@pytest.mark.parametrize("document_id", ["..%2f..%2fmasis.db", "x", "0" * 63, "0" * 64])
def test_an_id_that_is_none_is_refused(client: httpx.Client, document_id: str) -> None:
    assert client.get(f"{ACME}/documents/{document_id}/original").status_code in (404, 422)


@pytest.mark.parametrize(
    ("content", "content_type"),
    [
        (b"{}", "application/json"),
        (b"no boundary", "multipart/form-data"),
        (b"--x\r\nbroken", "multipart/form-data; boundary=x"),
        (
            b'--x\r\nContent-Disposition: form-data; name="other"\r\n\r\nv\r\n--x--\r\n',
            "multipart/form-data; boundary=x",
        ),
    ],
)
def test_an_upload_without_files_is_refused(client: httpx.Client, content: bytes, content_type: str) -> None:
    refused = client.post(f"{ACME}/documents", content=content, headers={"Content-Type": content_type})
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_input")
