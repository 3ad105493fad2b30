"""Recognises sentences that state a limit of the evidence (“The documents do not say …”) and nothing else.

The limit must be that of the evidence or of the writer: “The company does not disclose its margins” is a claim. The
sentence must not carry a claim as well: “The documents do not give 2024, but revenue was $5M” has to be cited like any
other claim.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from masis.audit.citations.limits import evidence_pattern, limit_patterns
from masis.embedded import limit_share
from masis.language.characters import plain_typography
from masis.language.measures import states_a_figure

_LONGEST = 600
"""Longest sentence, in characters, that is read as a limit: nobody needs more to say that something is missing."""

_CITATION_LIKE = re.compile(r"\[[^\[\]]{0,200}\]|【[^【】]{0,200}】")
_PARENTHESIS = re.compile(r"\(([^()]{0,200})\)")
_MARKUP = re.compile(r"[*`~]+|(?<!\w)_+|_+(?!\w)")
_NOT_CONTRACTED = re.compile(r"(\w)n't\b")
_IS_CONTRACTED = re.compile(r"\b(there|it|that|what|here)'s\b")
_NOT_A_DENIAL = re.compile(
    r"\bnot (?:only|just|merely|simply|solely)\b|\bnicht nur\b|\bpas seulement\b|\bno s[oó]lo\b"
    r"|\bniet alleen\b"
)
_CLAUSE_BREAK = re.compile(
    r";|\s-\s|(?:,\s*|\s)(?:but|however|although|though|whereas|yet|nevertheless|nonetheless|because|aber"
    r"|jedoch|allerdings|obwohl|weil|sondern|mais|cependant|toutefois|bien que|car|pero|sin embargo|aunque"
    r"|porque|sino|tuttavia|sebbene|perché|porém|contudo|embora|pois|maar|echter|hoewel|omdat|однако"
    r"|хотя)\b|,\s*(?:while|since|as|ma|però|mas|men|doch|während|но|ale|so|therefore)\b|但是|但|然而|不过|ただし"
    r"|しかし|が、"
)
_OPENS_WITH_SUBORDINATE = re.compile(
    r"\W*(?:although|though|even though|while|whereas|because|since|as|given that|obwohl|während|weil|da"
    r"|bien que|si|alors que|puisque|aunque|mientras|sebbene|mentre|poiché|embora|enquanto|hoewel|terwijl"
    r"|omdat)\b[^,]*,"
)
_PHRASE_BREAK = re.compile(
    r",\s*(?:which|who|with|only|except|other than|beyond|apart from|and|und|et|y|e|en|welche[rs]?|qui|que"
    r"|che|die)\b|\b(?:beyond|other than|except(?: for| that)?|apart from|aside from|besides|only that"
    r"|außer|abgesehen|hormis|salvo|tranne|exceto|behalve)\b"
)
_ASSERTS_A_FIGURE = re.compile(
    r"\b(?:and|und|et|y|e|en)\b[^,;]{1,60}\b(?:was|were|is|are|has|had|reached|rose|fell|grew|increased"
    r"|decreased|declined|totall?ed|amounted|stood|came|war|waren|ist|betrug|stieg|sank|était|est"
    r"|a atteint|fue|era|es|alcanzó|è|era|ammonta|foi|era|é|atingiu|was|bedroeg|steeg)\b(?P<rest>.*)"
)
_TOPIC = re.compile(
    r"\W*(?:however,? |also,? )?(?:regarding|about|on|for|as (?:to|for|regards)|concerning|whether|if|how"
    r"|why|what|where|which|whose|who|when|with (?:respect|regard)|in|under|among|bezüglich|ob|zu|zum|zur|hinsichtlich"
    r"|concernant|quant|sur|si|sobre|en cuanto|respecto|riguardo|quanto|se|wat betreft|over|of)\b"
)
_HARMLESS = re.compile(
    r"\b(?:may (?:be|have|help|contain|provide|exist|not|also|need|differ|cover|clarify|still)|might|could"
    r"|would|can|cannot|should|please|further|additional|consult|question|answer|könnte\w*|kann|pourrai\w*"
    r"|peut|podría\w*|puede\w*|potrebbe\w*|può|poderia\w*|pode|kan|zou|i|we|this answer)\b|\b(?:is|are) "
    r"(?:not possible|impossible|needed|required)\b|\b(?:is|are) (?:only )?(?:mentioned|discussed"
    r"|described|named|listed|referenced|covered)\b"
)
_PASSES_ON_A_CLAIM = re.compile(
    r"\b(?:says?|states?|shows?|indicates?|confirms?|reveals?|suggests?|attributes?) (?!nothing|little|no\b|only\b)\w"
    r"|\b(?:reports?|notes?|explains?|mentions?) that\b|\b(?:dass|que|che|dat)\b"
)
_LEANS_ON_IT = re.compile(
    r"\W*(?:(?:so|and|therefore|thus|hence)\s+)?(?:(?:it|they|this|these)\s+(?:do|does|did|can) not"
    r"|it (?:gives|says|names|states|mentions) (?:no|nothing|none))\b"
)
"""“…, so it does not show which”, “so it gives no year”: the subject is still the evidence."""
_IN_A_NUMBER = re.compile(r"(?<=\d)[.,](?=\d)")
_SAYS_ONLY = re.compile(
    r"\W*(?:it|they|these) (?:only (?:says?|states?|gives?|mentions?)|(?:says?|states?|gives?|mentions?) only)\b"
)
_OF_THE_EVIDENCE = re.compile(
    r"\W*(?:the|these|this|your) (?:\w+ ){0,2}?(?:evidence|documents?|passages?|sources?|excerpts?) (?:only )?"
    r"(?:gives?|names?|has|have|shows?|states?|says?|describes?|mentions?|covers?|contains?|provides?|reports?)\b"
)
_NEEDED_FOR = re.compile(r",\s(?:(?:from|by|with|on|of|for|in)\s)?(?:which|whom|whose|where)\b([^,;]*),")
"""“The area, from which the cost could be worked out, is not in the evidence.”"""
_UNDECIDED = re.compile(r"\b(?:whether|if|why|how|ob|warum|si|pourquoi|se|perché|of|waarom)\b")


def states_a_limit(sentence: str) -> bool:
    words = plain_words(sentence)
    if not words or len(words) > _LONGEST or _NOT_A_DENIAL.search(words):
        return False
    asides = _PARENTHESIS.findall(words)
    main = _NEEDED_FOR.sub(_unless_it_claims, " ".join(_PARENTHESIS.sub(" ", words).split()))
    limit = _limit_in(main)
    if limit is None or any(states_a_figure(aside) for aside in asides):
        return False
    return not _claims_besides(main, limit)


def _unless_it_claims(aside: re.Match[str]) -> str:
    return " " if _HARMLESS.search(aside[1]) and not states_a_figure(aside[1]) else aside[0]


_FEWEST_WORDS = 5
"""“In short, no.” says too little to be understood without its context."""
_LURES = re.compile(r"^\W*you\b|www\.|://|\w@\w")
"""A planted sentence addresses the reader, or points to an address."""
READS_AS_A_LIMIT = 0.9
"""Learnt probability from which a sentence counts as a limit. A sentence with a figure is a claim regardless."""


def reads_as_a_limit(sentence: str) -> bool:
    """The sentence states a limit, in any wording. Used for sentences that cite nothing, where the patterns find
    only three limits in ten."""
    words = plain_words(sentence)
    if len(words.split()) < _FEWEST_WORDS or len(words) > _LONGEST or states_a_figure(words) or _LURES.search(words):
        return False
    # If a pattern finds the limit, the patterns also decide whether a claim is made beside it.
    return not mentions_a_limit(sentence) and limit_share(sentence) >= READS_AS_A_LIMIT


def refuses(sentence: str) -> bool:
    """“The evidence gives the costs, but not the income, so it does not show the gap”; “It says only that …”: the
    sentence states what was found instead of an answer."""
    words = plain_words(sentence)
    if _SAYS_ONLY.match(words):
        return True
    return bool(_OF_THE_EVIDENCE.match(words)) and mentions_a_limit(sentence)


def mentions_a_limit(sentence: str) -> bool:
    """The sentence states a limit, alone or beside a claim."""
    words = _IN_A_NUMBER.sub("", plain_words(sentence))
    return len(words) <= _LONGEST and not _NOT_A_DENIAL.search(words) and _limit_in(words) is not None


@lru_cache(maxsize=1024)
def plain_words(sentence: str) -> str:
    """The sentence in lower case, with plain quotes and dashes, no markup or square brackets, and “do not” for
    “don't”."""
    text = plain_typography(_CITATION_LIKE.sub(" ", sentence)).lower()
    text = _MARKUP.sub("", text).replace("can't", "can not").replace("cannot", "can not").replace("won't", "will not")
    return " ".join(_IS_CONTRACTED.sub(r"\1 is", _NOT_CONTRACTED.sub(r"\1 not", text)).split())


@lru_cache(maxsize=2048)
def _limit_in(text: str) -> re.Match[str] | None:
    return next((match for pattern in limit_patterns() if (match := pattern.search(text))), None)


def _claims_besides(text: str, limit: re.Match[str]) -> bool:
    """Something other than the limit makes an assertion: a figure anywhere, or a whole clause."""
    anchor = limit.end() - 1
    for start, end, is_clause in _pieces(text, limit.start()):
        if start <= anchor < end:
            continue
        piece = text[start:end]
        if _limit_in(piece):
            continue
        if states_a_figure(piece) and not _TOPIC.match(piece):
            return True
        if is_clause and _asserts(piece):
            return True
    joined = _ASSERTS_A_FIGURE.search(text, limit.end())
    if joined is None or _UNDECIDED.search(text, limit.end(), joined.start()):
        return False
    return states_a_figure(joined["rest"])


def _pieces(text: str, limit_start: int) -> Iterator[tuple[int, int, bool]]:
    """The spans of a sentence's clauses, and of the phrases in them that could introduce a figure; True for a
    clause."""
    subordinate = _OPENS_WITH_SUBORDINATE.match(text)
    breaks = [(match.start(), match.end(), True) for match in _CLAUSE_BREAK.finditer(text)]
    breaks += [(match.start(), match.end(), False) for match in _PHRASE_BREAK.finditer(text)]
    if 0 <= (comma := text.find(",")) < limit_start:
        breaks.append((comma, comma + 1, False))
    if subordinate:
        breaks.append((subordinate.end() - 1, subordinate.end(), True))
    start, is_clause = 0, True
    for before, after, opens_clause in sorted(breaks):
        if before < start:
            continue
        yield start, before, is_clause or opens_clause
        start, is_clause = after, opens_clause
    yield start, len(text), is_clause


def _asserts(clause: str) -> bool:
    if len(clause.split()) < 3 or _limit_in(clause) or _TOPIC.match(clause) or _LEANS_ON_IT.match(clause):
        return False
    if _PASSES_ON_A_CLAIM.search(clause):
        return True
    return not (_HARMLESS.search(clause) or evidence_pattern().search(clause))
