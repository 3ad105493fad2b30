"""The offline judge: four scores computed from measured facts only, consistent with the auditor's likelihood."""

from collections.abc import Sequence

from masis.audit.checks.support import SCORES
from masis.language.question import parsed
from masis.language.words import content_stems
from masis.reasoning.offline.auditor import DISPUTED, mean_likelihood, standing
from masis.reasoning.offline.likelihood import signs_of
from masis.reasoning.ports import Reply, Scores
from masis.settings import OFFLINE
from masis.types import CitationAudit, Claim, Critique, EvidenceChunk

SCORES_OF_SILENCE = Scores(1.0, 0.8, 0.0, 0.8, ["Add documents that cover the question."])
"""“The documents do not say” is faithful and to the point, but answers nothing."""
SCORES_OF_NO_ANSWER = Scores(1.0, 0.0, 0.0, 0.0, ["No answer was drafted: add documents or rephrase the question."])
"""Nothing was claimed and nothing was answered."""
OF_AN_OVERVIEW = 0.9
"""Relevance of an overview: what the document says is what was asked for."""
DOUBTFUL = 0.65


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
        likely = mean_likelihood(signs_of(question, claims, evidence))
        relevance = OF_AN_OVERVIEW if likely is None else standing(likely)
        answered = _answered_share(question, claims)
        most = DISPUTED if critique and critique["conflicting_evidence"] else 1.0
        return Reply(
            Scores(
                faithfulness=round(min(most, _faithfulness(asserted)), 3),
                relevance=round(relevance, 3),
                completeness=round(answered * relevance, 3),
                reasoning_quality=round(min(most, _reasoning(asserted)), 3),
                improvement_suggestions=_suggestions(asserted, relevance, answered, audit),
            )
        )


def _answered_share(question: str, claims: Sequence[Claim]) -> float:
    """Share of the question's parts that the answer does not name as missing."""
    limits = [c for c in claims if c["kind"] == "limit"]
    parts = max(2 if limits else 1, len(parsed(question).parts))
    return (parts - min(parts - 1, len(limits))) / parts


def _faithfulness(claims: Sequence[Claim]) -> float:
    return sum(SCORES[c["verdict"]] if c["verdict"] else 0.5 for c in claims) / len(claims)


def _reasoning(claims: Sequence[Claim]) -> float:
    """Rates whether each claim is cited, is not refuted and adds something new."""
    cited = sum(bool(c["citations"]) for c in claims) / len(claims)
    distinct = {" ".join(content_stems(c["text"])) for c in claims}
    sound = sum(c["verdict"] not in ("contradicted", "numbers_differ") for c in claims) / len(claims)
    return 0.4 * cited + 0.2 * len(distinct) / len(claims) + 0.4 * sound


def _suggestions(claims: Sequence[Claim], relevance: float, answered: float, audit: CitationAudit) -> list[str]:
    found = [
        f"Check “{c['text']}”: {c['reason']}."
        for c in claims
        if c["verdict"] in ("numbers_differ", "contradicted", "not_in_source")
    ]
    if audit["uncited_claim_count"]:
        found.append(f"Cite a passage for {audit['uncited_claim_count']} uncited sentence(s).")
    if answered < 1:
        found.append("Add documents that cover the part the answer names as missing.")
    if relevance < DOUBTFUL:
        found.append("Check that the cited sentences answer the question: they may be about something close to it.")
    return found
