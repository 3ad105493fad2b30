"""An entry of the trace in words."""

from typing import Any

from masis.types import LOCAL


def step_words(entry: dict[str, Any]) -> str:
    if "warning" in entry:
        return _words(f"{entry['warning']} {entry.get('error') or ''}")
    match entry["node"]:
        case "researcher" if "chunks" in entry:
            return f"{_counted(entry['chunks'], 'passage')} kept, {entry.get('filtered_out', 0)} dropped"
        case "synthesizer" if "answer_length" in entry:
            return f"{entry['answer_length']} characters, {_counted(entry.get('citations', 0), 'citation')}"
        case "critic" if "confidence" in entry:
            return _criticised(entry)
        case "evaluator" if "overall_score" in entry:
            return f"overall {entry['overall_score']:.2f}"
        case "human_review" if "action" in entry:
            return decision_words(entry)
        case "supervisor" if "decision" in entry:
            return _words(f"{entry['decision']}: {entry.get('reason') or ''}").replace("HITL", "human review")
    return ""


def _criticised(entry: dict[str, Any]) -> str:
    found = [
        (len(entry.get("invalid_citations", [])), "fabricated citation"),
        (entry.get("uncited_claims", 0), "uncited claim"),
        (entry.get("conflicts", 0), "conflict"),
    ]
    return ", ".join([f"confidence {entry['confidence']:.0%}", *(_counted(n, what) for n, what in found if n)])


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def decision_words(decision: dict[str, Any]) -> str:
    """What a person decided; with a `decision_id`: in an earlier run."""
    trusted, left_out = ", ".join(decision.get("prefer", [])), ", ".join(decision.get("over", []))
    decided = {
        "prefer": f"trusts {trusted} over {left_out}",
        "explain_both": "wants both sides explained",
        "refine": f"asks instead: “{decision.get('question')}”",
        "look_again": "added documents and wants another look",
        "accept": "accepts the draft as it is",
        "stop": "stops here",
    }[decision["action"]]
    note = f": {decision['note']}" if decision.get("note") else ""
    earlier = " (decided in an earlier run, and remembered)" if decision.get("decision_id") else ""
    return f"{_person(decision.get('by'))} {decided}{note}{earlier}"


def _person(by: str | None) -> str:
    return "The person at this machine" if by == LOCAL.name else by or "A person"


def _words(text: str) -> str:
    return text.replace("_", " ").strip().rstrip(":")
