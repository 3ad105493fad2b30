"""What turns text into vectors, and which one the settings name."""

from typing import Protocol

from masis.errors import InvalidInput
from masis.settings import Settings

Vector = list[float]


class Embedder(Protocol):
    """Loads nothing until its first use; may be used from any thread and event loop."""

    @property
    def name(self) -> str:
        """Tells embedders apart that must not share an index."""
        ...

    @property
    def dimension(self) -> int | None:
        """None until the first vector told it."""
        ...

    async def ready(self) -> int:
        """The dimension; the model is asked once when nothing told it yet."""
        ...

    async def embed_passages(self, texts: list[str]) -> list[Vector]: ...

    async def embed_query(self, text: str) -> Vector: ...

    def close(self) -> None: ...


def embedder_for(settings: Settings) -> Embedder:
    from masis.knowledge.embedding.onnx_embedder import OnnxEmbedder
    from masis.knowledge.embedding.openai_embedder import OpenAIEmbedder

    if settings.embedding_model and settings.embedding_path:
        raise InvalidInput(
            "MASIS_EMBEDDING_MODEL and MASIS_EMBEDDING_PATH are both set.",
            advice="Keep one: the model of an endpoint, or a folder with model.onnx and tokenizer.json.",
        )
    if settings.embedding_model:
        return OpenAIEmbedder(settings)
    if settings.embedding_base_url:
        raise InvalidInput(
            "MASIS_EMBEDDING_BASE_URL is set, but not which model to ask there.",
            advice="Set MASIS_EMBEDDING_MODEL too, or unset MASIS_EMBEDDING_BASE_URL.",
        )
    return OnnxEmbedder(settings.embedding_path, max_tokens=settings.embedding_max_tokens)
