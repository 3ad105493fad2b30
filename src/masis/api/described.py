"""What the OpenAPI document says beyond the routes: the introduction, the groups, keys and problems."""

from typing import Any

from masis.api.middleware.problems import FieldProblem, Problem

INTRODUCTION = """
**Answers you can defend.** Five agents answer a question from a workspace's documents, cite every sentence, audit
themselves, and say what the documents do not.

1. Upload documents: `POST /masis/workspaces/{workspace_id}/documents`.
2. Ask: `POST /masis/workspaces/{workspace_id}`, or start a run in the background and follow its events.
3. When a run waits for a person, answer it: `POST …/runs/{run_id}/answer`.

**Keys.** `Authorization: Bearer masis_…`. A service that has no keys answers only its own machine, and needs none.
**Errors** are problems (RFC 9457) with a stable `code` and `advice`. **Lists** come in pages: give `next_cursor`
back as `cursor`. **Repeating** a POST is safe with an `Idempotency-Key`: the first response comes again.
"""

TAGS: list[dict[str, str]] = [
    {"name": "ask", "description": "A question, and its answer in the same request."},
    {"name": "runs", "description": "Questions in the background: follow, answer, cancel, export."},
    {"name": "documents", "description": "What answers are made from: upload, read, search, delete."},
    {"name": "workspaces", "description": "Tenants: documents, runs and keys belong to exactly one."},
    {"name": "access", "description": "Keys with roles, and the log of what was done with them."},
    {"name": "openai", "description": "For clients that speak OpenAI's chat API: a workspace is a model."},
    {"name": "system", "description": "For those who run the service."},
]

_SCHEMES = {
    "key": {"type": "http", "scheme": "bearer", "description": "A key of MASIS: `masis_…`."},
    "keyHeader": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "session": {"type": "apiKey", "in": "cookie", "name": "masis_session", "description": "The page's, after sign-in."},
}
_PUBLIC = frozenset({"/health", "/ready"})


def described(document: dict[str, Any]) -> dict[str, Any]:
    document["info"]["description"] = INTRODUCTION.strip()
    components = document.setdefault("components", {})
    components["securitySchemes"] = _SCHEMES
    schemas = components.setdefault("schemas", {})
    problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    problem.pop("$defs", None)
    schemas |= {"Problem": problem, "FieldProblem": FieldProblem.model_json_schema()}
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    for path, operations in document["paths"].items():
        for operation in operations.values():
            # The empty one: a service without keys needs none.
            operation["security"] = [] if path in _PUBLIC else [{"key": []}, {"keyHeader": []}, {"session": []}, {}]
    return document
