"""The JSON schema that strict modes accept: every field required, none else allowed, no references."""

from typing import Any

from pydantic import BaseModel

_LEFT_OUT = ("title", "default", "$defs", "properties")


def strict_schema(model: type[BaseModel]) -> dict[str, Any]:
    schema = model.model_json_schema()
    strict: dict[str, Any] = _strict(schema, schema.get("$defs", {}))
    return strict


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
