"""The fake server speaks the protocol as the SDK understands it."""

import pytest
from openai import AsyncOpenAI, NotFoundError

from tests.support.fake_openai import FakeOpenAI, Say, vector_of


async def test_embeddings_in_both_encodings(fake_openai: FakeOpenAI) -> None:
    async with AsyncOpenAI(api_key="x", base_url=fake_openai.base_url, max_retries=0) as sdk:
        packed = await sdk.embeddings.create(model="m", input=["a", "b"])
        plain = await sdk.embeddings.create(model="m", input="b", encoding_format="float", dimensions=4)
    assert packed.data[1].embedding == pytest.approx(vector_of("b"), abs=1e-6)
    assert plain.data[0].embedding == vector_of("b", 4)
    assert fake_openai.chats == []
    assert len(fake_openai.requests) == 2


async def test_a_stream_ends_with_its_usage(fake_openai: FakeOpenAI) -> None:
    fake_openai.script(Say("one two", usage=(3, 2)))
    async with AsyncOpenAI(api_key="x", base_url=fake_openai.base_url, max_retries=0) as sdk:
        stream = await sdk.chat.completions.create(
            model="m",
            messages=[{"role": "user", "content": "?"}],
            stream=True,
            stream_options={"include_usage": True},
        )
        chunks = [chunk async for chunk in stream]
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == "one two"
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.completion_tokens == 2


async def test_other_paths_do_not_exist(fake_openai: FakeOpenAI) -> None:
    async with AsyncOpenAI(api_key="x", base_url=fake_openai.base_url + "/v9", max_retries=0) as sdk:
        with pytest.raises(NotFoundError):
            await sdk.embeddings.create(model="m", input="a")
