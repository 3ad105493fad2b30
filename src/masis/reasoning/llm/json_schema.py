"""The JSON schema that strict modes accept: every field required, none else allowed, no references."""

from typing import Any

from pydantic import BaseModel

_LEFT_OUT = ("title", "default", "$defs", "properties")


_LONGEST_TEXT, _MOST_TEXTS, _MOST_RECORDS = 80, 3, 1
"""What a small model may say where it cannot stop by itself; a record holds several texts."""


def strict_schema(model: type[BaseModel], *, bounded: bool = False) -> dict[str, Any]:
    """`bounded`: with an end to every list and text, which not every strict mode accepts."""
    schema = model.model_json_schema()
    strict: dict[str, Any] = _strict(schema, schema.get("$defs", {}))
    return _bounded(strict) if bounded else strict


def _strict(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_strict(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if reference := node.get("$ref"):
        # Small servers know no references, strict ones forbid words beside them: write the definition out.
        return _strict(definitions[reference.removeprefix("#/$defs/")], definitions)
    plain = {key: _strict(value, definitions) for key, value in node.items() if key not in _LEFT_OUT}
    if "properties" in node:
        fields = {name: _strict(field, definitions) for name, field in node["properties"].items()}
        plain |= {"properties": fields, "required": list(fields), "additionalProperties": False}
    return plain


def _bounded(node: Any) -> Any:
    if isinstance(node, list):
        return [_bounded(item) for item in node]
    if not isinstance(node, dict):
        return node
    inside = {key: _bounded(value) for key, value in node.items()}
    match node:
        case {"type": "array", "items": {"type": "object"}}:
            return inside | {"maxItems": _MOST_RECORDS}
        case {"type": "array"}:
            return inside | {"maxItems": _MOST_TEXTS}
        case {"type": "string", "enum": _}:
            return inside
        case {"type": "string"}:
            return inside | {"maxLength": _LONGEST_TEXT}
    return inside
