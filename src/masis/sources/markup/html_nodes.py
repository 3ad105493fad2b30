"""What of an HTML tree a reader sees."""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from masis.sources.plain import one_line


def tags(names: str) -> frozenset[str]:
    return frozenset(names.split())


_DROPPED = tags("script style noscript template nav head svg iframe object select button input textarea dialog")
_INLINE = tags("a abbr b cite code em font i ins mark q s small span strong sub sup time u var")
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def children(node: LexborNode) -> list[LexborNode]:
    return [child for child in node.iter(include_text=True) if _is_visible(child)]


def _is_visible(node: LexborNode) -> bool:
    """What no reader sees is no evidence; it is also where instructions for models are planted."""
    if node.is_text_node:
        return True
    if not node.is_element_node or node.tag in _DROPPED:
        return False
    attributes = node.attributes
    return "hidden" not in attributes and not _HIDDEN_STYLE.search(attributes.get("style") or "")


def walk(root: LexborNode) -> Iterator[tuple[LexborNode, bool]]:
    """Each visible node as it opens (True) and as it closes; no recursion, as pages nest deeply."""
    stack = [(root, True)]
    while stack:
        node, opens = stack.pop()
        yield node, opens
        if opens and node.is_element_node:
            stack.append((node, False))
            stack.extend((child, True) for child in reversed(children(node)))


def inline_text(root: LexborNode) -> str:
    """All visible text on one line."""
    parts = [
        (node.text_content or "") if node.is_text_node else "" if node.tag in _INLINE else " " for node, _ in walk(root)
    ]
    return one_line("".join(parts))
