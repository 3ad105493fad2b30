"""Finds what a text denies: each negation with the words it applies to, so that only matching denials are compared.

“The board did not approve the merger, but welcomed it” denies the approval and nothing else.
"""

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from masis.audit.checks.numbers import gives
from masis.audit.checks.signature import HARDLY, LIKELY, Claim, Finding, Sources, coverage_of
from masis.audit.checks.turns import flipped, turned_round
from masis.audit.citations.hedges import mentions_a_limit
from masis.language.quantities import quantities
from masis.language.words import DENYING_VERBS, FUNCTION_WORDS, NEGATIONS, NOT_A_DENIAL, is_negated, plain, stem, words

DENIES = "it denies what the source says"
_PLAIN_DENIAL = re.compile(r"\b(?:not|never|cannot)\b|n[’']t\b|\b(?:declin|refus|fail)\w{1,4} to\b", re.IGNORECASE)
SAME_SENTENCE = 0.80
"""Two sentences that share this many of their words and differ in a negation deny each other."""


def denied(claim: Claim, sources: Sources) -> Finding | None:
    window = sources.window(claim)
    if window is None or _tells_an_absence(claim) or all(part.is_row for part in window.parts):
        # A table row denies nothing and contains no sentence that could be denied word for word.
        return None
    turned = flipped(claim.text, window.said)
    # The flipped word is not in the source, so it must not reduce the similarity of the two.
    wanted = claim.subject - {stem(ours) for ours, _ in turned}
    if not wanted or coverage_of(wanted, window.parts) < SAME_SENTENCE:
        return None
    if turned and is_negated(claim.text) != is_negated(window.said):
        return Finding("unverified", "it denies the contrary of what the source says: code alone cannot tell")
    if why := denied_by_one(claim.text, window.said):
        if why == DENIES and not _PLAIN_DENIAL.search(claim.text):
            # “No growth but in Asia” may be an omission rather than a denial, and the verifier cannot be asked about
            # its opposite.
            return Finding("unverified", f"{why}, or leaves something out: code alone cannot tell")
        return Finding("contradicted", why, withdrawn_at=HARDLY)
    if contrary := turned_round(claim.text, window.said):
        return Finding("contradicted", f"the claim says {contrary[0]}, the source {contrary[1]}", withdrawn_at=LIKELY)
    return None


def _tells_an_absence(claim: Claim) -> bool:
    return claim.tells_an_absence or mentions_a_limit(claim.text)


def denied_figure(claim: Claim, sources: Sources) -> Finding | None:
    """“Revenue was not $5 million” where the source gives that figure and denies no figure itself."""
    window = sources.window(claim)
    if window is None or not denies_a_figure(claim.text) or denies_a_figure(window.said):
        return None
    given = quantities(sources.text)
    if all(any(gives(q, r.quantity) for q in given) for r in claim.figures):
        return Finding("contradicted", "it denies a figure that the source gives")
    return None


_TOKEN = re.compile(r"[^\W\d_]+(?:['\-][^\W\d_]+)*|\d+(?:[.,]\d+)*|[,;:.!?()]", re.UNICODE)
_NEEDS_TO = DENYING_VERBS | {"fail", "fails", "failed", "failing", "unable"}
"""“Declined to comment” is a denial; “declined to 3 %” is not."""
_MAY_DENY = NEGATIONS | _NEEDS_TO
_BREAKS = frozenset(",;:.!?()") | {"but", "although", "though", "while", "whereas", "because"}
_PASSED_OVER = frozenset({"longer", "even", "necessarily", "really", "yet"})
"""“No longer makes” denies the making."""
_REACH = 3
"""Most content words after a negation that it is taken to apply to."""
_REACH_BACK = 2
"""Most content words before it, used when none follow: “the rest did not”."""
CLAUSE_SAID = 0.6
"""Share of a denying clause's words that a claim must repeat to count as the same clause without its denial."""
_CLAUSE_END = re.compile(r"[.;!?](?=\s|$)|,\s(?:but|and|so|or|while|although)\s|\sbut\s", re.IGNORECASE)
_SOFTENED = re.compile(
    r"\b(?:avoid\w*|prevent\w*|without|regardless|against|oppos\w*|unless|hardly|rarely|instead|rather|unlike|stop\w*)\b",
    re.IGNORECASE,
)
"""Words that can express a denial in a paraphrase without any negation."""
_FORBIDS = re.compile(r"\b(?:contraindicat|prohibit|forbid|bann|disallow)\w*|\b(?:forbade|bans?)\b", re.IGNORECASE)
"""Words that forbid. A source that forbids something agrees with a claim that it “should not” be done, although it
contains no negation."""
_CONDITIONS = frozenset({"if", "unless", "whether", "when", "or"})


@dataclass(frozen=True, slots=True)
class Denials:
    scopes: tuple[tuple[str, ...], ...]
    """For each negation, the stems it applies to, nearest first."""
    stems: frozenset[str]
    """All content stems of the text."""
    affirmed: frozenset[str]
    """The content stems that also occur outside any negation."""


def denied_by_one(claim: str, source: str) -> str | None:
    """Says in words what one text denies and the other states; None if there is no such denial."""
    ours, theirs = read_denials(claim), read_denials(source)
    for scope in () if _FORBIDS.search(source) else ours.scopes:
        if not _is_met(scope, theirs) and _is_said(scope, theirs.stems):
            return DENIES
    is_softened = _SOFTENED.search(claim) or _FORBIDS.search(claim)
    is_dropped = not is_softened and any(_drops_a_denial(ours, clause) for clause in _CLAUSE_END.split(source))
    return "the source denies it" if is_dropped else None


def _drops_a_denial(ours: Denials, clause: str) -> bool:
    """The claim repeats most of a clause of the source but leaves out its negation."""
    theirs = read_denials(clause)
    if not theirs.scopes or len(theirs.stems & ours.stems) < CLAUSE_SAID * len(theirs.stems):
        return False
    # Years occur in many sentences, so a shared year does not show that the source denies this one.
    scopes = [tuple(s for s in scope if not s[0].isdigit()) for scope in theirs.scopes if not _is_met(scope, ours)]
    return any(_is_said(scope, ours.stems) and scope[0] not in theirs.affirmed for scope in scopes if scope)


def denies_a_figure(claim: str) -> bool:
    """“Revenue was not $5 million”: a negation applies directly to a number."""
    may_deny = not _MAY_DENY.isdisjoint(words(claim))
    return may_deny and any(scope[0][0].isdigit() for scope in read_denials(claim).scopes)


def _is_met(scope: tuple[str, ...], other: Denials) -> bool:
    return any(set(scope) & set(denied) for denied in other.scopes)


def _is_said(scope: tuple[str, ...], stems: frozenset[str]) -> bool:
    """The other text contains the word nearest to the negation and at least one more that the negation applies to."""
    shared = sum(s in stems for s in scope)
    return bool(scope) and shared >= min(2, len(scope)) and scope[0] in stems


@lru_cache(maxsize=8192)
def read_denials(text: str) -> Denials:
    tokens = [match.group().lower() for match in _TOKEN.finditer(NOT_A_DENIAL.sub(" ", plain(text)))]
    content = [_stem_of(token) for token in tokens]
    scopes = [_scope(tokens, content, at) for at in range(len(tokens)) if _denies(tokens, at)]
    affirmed = Counter(s for s in content if s) - Counter(s for scope in scopes for s in scope)
    return Denials(tuple(filter(None, scopes)), frozenset(s for s in content if s), frozenset(affirmed))


def _stem_of(token: str) -> str | None:
    if token[0].isdigit():
        return token.replace(",", "")
    is_content = len(token) > 1 and token not in FUNCTION_WORDS and token not in NEGATIONS
    return stem(token) if is_content and token[0].isalpha() else None


def _denies(tokens: list[str], at: int) -> bool:
    token, following = tokens[at], tokens[at + 1 : at + 3]
    if token in _NEEDS_TO:
        is_verb_next = len(following) == 2 and following[1][0].isalpha() and following[1] not in FUNCTION_WORDS
        return following[:1] == ["to"] and is_verb_next
    if _CONDITIONS & set(tokens[max(0, at - 4) : at]):
        # “If it is not level” is a condition and denies nothing.
        return False
    # “No. 5” is a numbering, and “not without cost” says that there was a cost.
    is_none = following[:1] == ["without"] or (token == "no" and following[:1] == ["."])
    return token in NEGATIONS and token != "without" and not is_none


def _scope(tokens: list[str], content: list[str | None], at: int) -> tuple[str, ...]:
    behind: list[str] = []
    for token, found in zip(tokens[at + 1 :], content[at + 1 :], strict=True):
        if token in _BREAKS or len(behind) == _REACH:
            break
        if found and token not in _NEEDS_TO and token not in _PASSED_OVER:
            behind.append(found)
    return tuple(behind or [found for found in content[max(0, at - 6) : at] if found][::-1][:_REACH_BACK])
