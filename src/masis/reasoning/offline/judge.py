"""The offline judge: four scores from measured facts, nothing else."""

from collections.abc import Sequence

from masis.audit.checks.support import SCORES
from masis.language.words import content_stems
from masis.reasoning.offline.coverage import question_coverage
from masis.reasoning.ports import Reply, Scores
from masis.settings import OFFLINE
from masis.types import CitationAudit, Claim, Critique, EvidenceChunk

SCORES_OF_SILENCE = Scores(1.0, 0.8, 0.0, 0.8, ["Add documents that cover the question."])
"""“The documents do not say” is faithful and to the point, and answers nothing."""
SCORES_OF_NO_ANSWER = Scores(1.0, 0.0, 0.0, 0.0, ["No answer was drafted: add documents or rephrase the question."])
"""Nothing was claimed, and nothing was answered."""


class OfflineJudge:
    name = OFFLINE

    async def judge(
        self,
        question: str,
        answer: str,
        evidence: Sequence[EvidenceChunk],
        audit: CitationAudit,
        claims: Sequence[Claim],
        critique: Critique | None = None,
    ) -> Reply[Scores]:
        asserted = [c for c in claims if c["kind"] in ("claim", "recommendation")]
        if not asserted:
            return Reply(SCORES_OF_SILENCE if claims else SCORES_OF_NO_ANSWER)
        covered = question_coverage(question, asserted, evidence)
        limited = any(c["kind"] == "limit" for c in claims)
        return Reply(
            Scores(
                faithfulness=round(_faithfulness(asserted), 3),
                relevance=round(min(1.0, covered / 0.8), 3),
                completeness=round(covered * (0.7 if limited else 1.0), 3),
                reasoning_quality=round(_reasoning(asserted), 3),
                improvement_suggestions=_suggestions(asserted, covered, limited, audit),
            )
        )


def _faithfulness(claims: Sequence[Claim]) -> float:
    return sum(SCORES[c["verdict"]] if c["verdict"] else 0.5 for c in claims) / len(claims)


def _reasoning(claims: Sequence[Claim]) -> float:
    """Every step rests on a source and adds something."""
    cited = sum(bool(c["citations"]) for c in claims) / len(claims)
    distinct = {" ".join(content_stems(c["text"])) for c in claims}
    sound = sum(c["verdict"] not in ("contradicted", "numbers_differ") for c in claims) / len(claims)
    return 0.4 * cited + 0.2 * len(distinct) / len(claims) + 0.4 * sound


def _suggestions(claims: Sequence[Claim], covered: float, limited: bool, audit: CitationAudit) -> list[str]:
    found = [
        f"Check “{c['text']}”: {c['reason']}."
        for c in claims
        if c["verdict"] in ("numbers_differ", "contradicted", "not_in_source")
    ]
    if audit["uncited_claim_count"]:
        found.append(f"Cite a passage for {audit['uncited_claim_count']} uncited sentence(s).")
    if limited:
        found.append("Add documents that cover the part the answer names as missing.")
    elif covered < 0.6:
        found.append("Address more of the question's own terms.")
    return found
