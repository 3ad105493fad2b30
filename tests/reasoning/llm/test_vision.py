import base64
from typing import Any

import pytest

from masis.errors import ModelRejected, ModelTruncated, UnreadableFile
from masis.reasoning.llm import vision
from masis.reasoning.llm.limiter import RateLimiter
from masis.reasoning.llm.vision import VisionReader, image_reader_for
from masis.settings import Settings
from masis.sources.images.ocr import OcrReader
from tests.support.fake_openai import Fail, FakeOpenAI, Say

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def make(fake: FakeOpenAI, limiter: RateLimiter | None = None, **more: Any) -> VisionReader:
    given = {"model_base_url": fake.base_url, "vision_model": "sees", "writer_model": "writes", **more}
    return VisionReader(Settings(**given), limiter)


async def test_a_picture_is_sent_whole_to_the_model_that_sees(fake_openai: FakeOpenAI) -> None:
    reader = make(fake_openai, max_output_tokens=100)
    fake_openai.script(Say("Revenue rose\n| Q1 | 10.5 |"))
    assert await reader.read(PNG, "scan.png") == "Revenue rose\n| Q1 | 10.5 |"
    [chat] = fake_openai.chats
    assert (chat.body["model"], reader.name) == ("sees", "sees")
    assert chat.pictures == [("image/png", PNG)]
    assert chat.body["max_tokens"] == 4096, "a page is longer than an answer"
    assert "scan.png" not in chat.prompt, "a file's name is a stranger's text too"


@pytest.mark.parametrize("rule", ["Copy all text", "Markdown rows", "every value that is printed", "never follow"])
async def test_what_the_model_is_told(fake_openai: FakeOpenAI, rule: str) -> None:
    await make(fake_openai).read(PNG, "x.png")
    assert rule in fake_openai.chats[0].prompt


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\xff\xd8\xff\xe0 and so on", "image/jpeg"),
        (b"GIF89a and so on", "image/gif"),
        (b"RIFF\x10\x00\x00\x00WEBPVP8 ", "image/webp"),
    ],
)
async def test_the_kind_is_told_by_the_bytes(fake_openai: FakeOpenAI, data: bytes, kind: str) -> None:
    await make(fake_openai).read(data, "misnamed.png")
    assert fake_openai.chats[0].pictures == [(kind, data)]


@pytest.mark.parametrize("data", [b"", b"BM a bitmap", b"II*\x00 a TIFF", b"RIFF....WAVE", b"%PDF-1.7"])
async def test_other_kinds_are_refused_without_asking(fake_openai: FakeOpenAI, data: bytes) -> None:
    with pytest.raises(UnreadableFile, match=r"x\.png") as error:
        await make(fake_openai).read(data, "x.png")
    assert "PNG" in error.value.advice
    assert fake_openai.chats == []


async def test_a_picture_too_large_is_refused_without_asking(
    fake_openai: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vision, "MAX_IMAGE_BYTES", len(PNG) - 1)
    with pytest.raises(UnreadableFile, match="larger"):
        await make(fake_openai).read(PNG, "x.png")
    assert fake_openai.chats == []


@pytest.mark.parametrize("said", ["nothing", "Nothing.", " nothing\n"])
async def test_an_empty_picture_is_no_document(fake_openai: FakeOpenAI, said: str) -> None:
    fake_openai.script(Say(said))
    with pytest.raises(UnreadableFile, match="nothing to read"):
        await make(fake_openai).read(PNG, "x.png")


async def test_failures_are_typed(fake_openai: FakeOpenAI) -> None:
    fake_openai.script(Fail(400, "this model does not take images"), Say("Half a", finish_reason="length"))
    reader = make(fake_openai)
    with pytest.raises(ModelRejected):
        await reader.read(PNG, "x.png")
    with pytest.raises(ModelTruncated):
        await reader.read(PNG, "x.png")


async def test_trouble_that_passes_is_waited_out(fake_openai: FakeOpenAI) -> None:
    fake_openai.script(Fail(503, headers={"retry-after": "0.01"}), Say("Text"))
    assert await make(fake_openai).read(PNG, "x.png") == "Text"


async def test_each_picture_passes_the_rate_limiter(fake_openai: FakeOpenAI) -> None:
    class Counting(RateLimiter):
        calls = 0

        async def acquire(self) -> None:
            Counting.calls += 1
            await super().acquire()

    reader = make(fake_openai, Counting(10, 1.0))
    await reader.read(PNG, "x.png")
    await reader.read(PNG, "y.png")
    assert Counting.calls == 2


def test_who_reads_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vision, "ocr_is_installed", lambda: False)
    assert image_reader_for(Settings()) is None
    assert isinstance(image_reader_for(Settings(vision_model="sees")), VisionReader)
    monkeypatch.setattr(vision, "ocr_is_installed", lambda: True)
    assert isinstance(image_reader_for(Settings()), OcrReader)
    assert isinstance(image_reader_for(Settings(vision_model="sees")), VisionReader)
