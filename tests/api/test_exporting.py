"""A run as a file, from the service."""

import io
from collections.abc import Iterator

import docx
import httpx
import pypdfium2
import pytest

from masis.export.formats import FORMATS, MEDIA_TYPES, Format
from masis.settings import Settings
from tests.api.live import DISPUTED, DOCUMENTS, serving, uploads


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with serving(Settings(home=tmp_path_factory.mktemp("exports"))) as service, service.client() as client:
        client.post("/masis/workspaces/acme/documents?wait=true", files=uploads(**DOCUMENTS)).raise_for_status()
        yield client


@pytest.fixture(scope="module")
def run(client: httpx.Client) -> str:
    """One that waits for a person: what it has can be handed on already."""
    return client.post("/masis/workspaces/acme", json={"query": DISPUTED}).headers["location"]


@pytest.mark.parametrize("form", FORMATS)
def test_a_run_is_exported_in_every_form(client: httpx.Client, run: str, form: Format) -> None:
    answer = client.get(f"{run}/export", params={"format": form})
    assert (answer.status_code, answer.headers["content-type"]) == (200, MEDIA_TYPES[form])
    assert answer.headers["content-disposition"] == f'attachment; filename="masis-{run.rsplit("/", 1)[1]}.{form}"'
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"
    text = _text_of(answer, form)
    assert "7.4%" in text
    assert "9.1%" in text


def _text_of(answer: httpx.Response, form: Format) -> str:
    if form == "docx":
        return "\n".join(paragraph.text for paragraph in docx.Document(io.BytesIO(answer.content)).paragraphs)
    if form == "pdf":
        return "\n".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(answer.content))
    return answer.text


def test_json_is_what_the_service_says_of_the_run(client: httpx.Client, run: str) -> None:
    pack = client.get(f"{run}/export").json()
    assert pack["run"] == client.get(run).json()
    result = client.get(f"{run}/result").json()
    assert {name: pack["result"][name] for name in result} == result
    assert pack["events"][-1]["event"] == "waiting"


def test_another_form_is_refused(client: httpx.Client, run: str) -> None:
    assert client.get(f"{run}/export", params={"format": "exe"}).status_code == 422
