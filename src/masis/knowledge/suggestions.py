"""Makes questions that a document answers from its sentences, rows and sections."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from masis.language.periods import MONTHS, period_spans, periods
from masis.language.quantities import quantities
from masis.language.salience import NOTICE
from masis.language.statements import Statement
from masis.language.words import content_stems
from masis.types import Page

LONGEST_QUOTE, LONGEST_HEADING = 320, 120

_ABOUT = r"(?:(?:another|about|around|some|nearly|over|under|only|just|approximately|up to|at|to|by|now|currently) )*"
_QUANTITY = rf"{_ABOUT}(?=[$€£]|[A-Z]{{3}} ?\d|\d)"
_THING = r"(?P<subject>(?:(?:The|Our|Total|Net|An?)\s)?[A-Za-z][\w&’'/-]*(?:\s[\w&’'/-]+){0,7}?)"
_LEAD = r"^(?:(?:In|For|During|At|By|On)\s[^,]{3,40},\s)?"
_GIVES = re.compile(
    rf"{_LEAD}{_THING}\s(?P<verb>was|were|is|are|reached|amounted|totalled|totaled|stood"
    rf"|(?:rose|fell|grew|climbed|dropped)(?=\sto\s))\s(?:now\s)?{_QUANTITY}(?P<rest>.*)$"
)
_COSTS = {
    "costs": ("does", "cost"), "cost": ("did", "cost"), "charges": ("does", "charge"), "wants": ("does", "want"),
    "asks for": ("does", "ask for"), "raised": ("did", "raise"), "spent": ("did", "spend"), "paid": ("did", "pay"),
    "received": ("did", "receive"), "invested": ("did", "invest"), "earned": ("did", "earn"), "pays": ("does", "pay"),
    "fell by": ("did", "fall"), "rose by": ("did", "rise"), "grew by": ("did", "grow"),
    "will cost": ("will", "cost"), "would cost": ("would", "cost"), "will spend": ("will", "spend"),
    "increased by": ("did", "increase"), "decreased by": ("did", "decrease"), "declined by": ("did", "decline"),
}  # fmt: skip
_PAYS = re.compile(rf"{_LEAD}{_THING}\s(?P<verb>{'|'.join(_COSTS)})\s{_QUANTITY}(?P<rest>.*)$")
_ASKS_FOR = re.compile(
    rf"{_LEAD}{_THING}\s(?P<verb>quotes|asks|offers|bids|demands|includes|allows|covers|receives|earns|provides"
    rf"|contributes|owes|allocates|adds|saves)\s{_QUANTITY}(?P<rest>.*)$"
)
"""“Vestnes Yard quotes NOK 15.8 million for the dry dock”."""
_DUE = re.compile(
    rf"{_LEAD}{_THING}\s(?P<verb>must|may|can|should|will|shall|is|are|was|were)\s(?:also\s|only\s|now\s)?"
    r"(?P<done>(?:be )?[a-z]{3,}|be)\s(?P<rest>.*)$"
)
_ENDS = re.compile(
    rf"{_LEAD}{_THING}\s(?P<verb>ends|expires|starts|begins|opens|closes|matures|lapses|applies)\s"
    r"(?:on|in|at|from)\s(?P<rest>.*)$"
)
"""“The lease ends on March 31, 2026”."""
_AT_A_TIME = re.compile(r"(?:on|in|by|at|from|until|within|every)\s")
_NOT_DEFINED = frozenset("the our a an at in on for of from by with since if figure table chapter section".split())
_PARTICIPLE = re.compile(r"(?:be )?(?:\w+ed|held|built|made|paid|sent|sold|due|born|taken|given|set|written|known)")
_HOW_LONG = re.compile(
    r"(?P<how>within|every|after|at least|no later than) (?:\w+ ){0,2}?(?:hours?|days?|weeks?|months?|years?)\b"
)
_AMOUNT_OF = re.compile(
    r"\b(?:[Aa]n?|[Tt]he|[Ii]ts|[Oo]ur) (?P<noun>(?:(?!an?\s|the\s)[a-z][\w’'-]*\s){0,3}[a-z][\w’'-]*) of "
    rf"(?={_QUANTITY}){_ABOUT}(?P<rest>.*)$"
)
_TAIL = re.compile(r" (?:for|on|from|towards|of) [^,.;()\d$€£]{3,50}?(?=[,.;()]| and | plus | with | which |$)")
_SAYS_NOTHING = frozenset(
    content_stems(
        "cost price total sum amount value rate level average annual yearly company portion year share number"
    )
)
_CLAUSES = re.compile(r"; |: | - |^(?:Please )?note (?:that )?", re.IGNORECASE)
_DEADLINE = re.compile(r"\b(?:by|before|until|no later than) (?:the )?(?:end of )?(?:[A-Z][a-z]+day,? )?$")
_OBLIGES = re.compile(
    r"\b(?:[Pp]lease|must|needs?|has to|have to|[Cc]an you|[Cc]ould you|should|asked?|to be|deadline|required?)\b"
)
_ACTION = re.compile(
    r"^(?P<who>[A-Z][\w.’'-]*(?: [A-Z][\w.’'-]*){0,2}) (?P<will>to|will) (?P<what>[a-z]+ [^.;]{8,90}?)"
    r"(?: by [^.;]{3,30})?\.?$"
)
_COUNTS = re.compile(
    rf"^There (?P<verb>are|were) {_ABOUT}\d[\d,]* (?P<subject>(?:[a-z-]+ ){{0,2}}[a-z-]+s|people)"
    r"(?P<where>(?: (?:in|on|at|of|with|for|under|from) [^,.;]{3,60})?)[,.;]"
)
_COUNTED = re.compile(
    rf"^[A-Z][\w’'-]*(?:\s[\w’'-]+){{0,4}}? (?P<verb>[a-z]+ed) {_ABOUT}\d[\d,]* "
    r"(?P<subject>(?:[a-z-]+ )?[a-z-]+s)\b(?! of)"
)
"""“Divers counted 3,120 colonies”."""
_DEFINES = re.compile(rf"^{_THING}(?: \([^()]{{2,60}}\))? (?P<verb>is|are) (?P<rest>(?:an?|the|one of|any)\s.*)$")
_RECOMMENDS = re.compile(r"\b(?:I|[Ww]e) (?:recommend|propose|suggest)\b")
_DECIDED = re.compile(
    r"\bRESOLVED\b|\b(?:was|were|been|(?:[Cc]ommittee|[Bb]oard|[Cc]ouncil|[Mm]embers|[Dd]irectors|[Tt]rustees|[Mm]eeting)"
    r"(?: \w+)?) (?:resolved|agreed|decided|approved|accepted|adopted|awarded)\b"
)
_ASKS = re.compile(r"(?:What|Why|How|Who|When|Where|Which|Is|Are|Do|Does|Can|Will|Should|To whom)\b.{8,90}\?")
_NO_TOPIC = re.compile(
    r"\b(?:is|are|was|were|has|have|will|this|we|you|your|I|my|that|skip|read|edit|links?|menu|share|related|comments|next|how|why|who"
    r"|what|where|when|let['’]s|pg|page|slide|chapter|conditionally|title|copyright|contact)\b",
    re.IGNORECASE,
)
"""Headings that are sentences, or navigation elements of a web page."""
_POINTS_BACK = re.compile(
    r"\b(?:it|they|this|that|these|those|there|he|she|we|which|who|what|its|their|both|each|one|such|others?|another|me|more|less|some|all)\b",
    re.IGNORECASE,
)
_AUXILIARY = re.compile(r"\s(?:is|are|was|were|has|have|had|will|would|may|can|not|also|been|be)\b")
_EMPTY_HEADING = re.compile(
    r"\W*(?:abstract|introduction|contents?|references?|summary|overview|conclusions?|background|notes?|appendix|annex|index"
    r"|page|welcome|about|misc\w*|general|details?|other|(?:for )?further reading|external links|see also|bibliography"
    r"|acknowledg\w+|tl;?dr|any other business|apologies|present|attendance|minutes\b.*|signatures?|exhibits?|part \w+"
    r"|form 10.*|table of contents)\W*",
    re.IGNORECASE,
)
NUMBERED = re.compile(
    r"^(?:(?:part|item|section|chapter|note)\s)?[\divx]{0,5}(?:[./]\d+)*[.)]?\s+(?=\D)", re.IGNORECASE
)


Given = tuple[Page, int, Statement]


_COUNT = re.compile(r"How many|What is the total number")
_MONEY = re.compile(r"\b(?:usd|eur|gbp|chf|thousand|million|billion)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Candidate:
    question: str
    subject: str
    quote: Given
    """The statement that answers it."""
    expects: str = ""
    """The cell or value that the answer must contain."""
    starts: str = ""
    """The name of the row that the answer must begin with."""
    holds: tuple[str, ...] = ()
    """Other words that the answer must contain."""
    rivals: tuple[str, ...] = ()
    """What the answer may only mention after the cell."""
    opens: tuple[str, ...] = ()
    """For a count: the answer must begin with one of these."""
    section: tuple[str, ...] = ()
    """The answer must begin with one of these sentences, or with the quote if there are none."""
    anywhere: bool = False
    """Whether the quote may come after other sentences that answer too."""
    whole: bool = False
    """Whether only all rows of the table together answer it."""

    def is_answered_by(self, answer: str) -> bool:
        said = f" {plain(answer)} "
        if self.opens:
            return said.startswith(tuple(f" {word} " for word in self.opens))
        if self.expects:
            at = said.find(f" {plain(self.expects)} ")
            before = [said.find(f" {plain(rival)} ") for rival in self.rivals]
            is_held = all(f" {plain(words)} " in said for words in self.holds)
            if _COUNT.match(self.question) and _MONEY.search(said) and not _MONEY.search(self.quote[2].text):
                return False
            return (
                at >= 0 and is_held and said[1:].startswith(plain(self.starts)) and not any(0 <= n < at for n in before)
            )
        told = [plain(text) for text in self.section or (self.quote[2].text,)]
        return any(text in said if self.anywhere else said.startswith(f" {text}") for text in told)


class Wording:
    """How a document writes its words: a word that also occurs in lower case, or only at the start of sentences, is not
    a name."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._small = frozenset(re.findall(r"\b[a-z][\w’'-]+", text))
        self._names = frozenset(re.findall(r"(?<=[a-z,;] )[A-Z][\w’'-]+", text)) - {w.capitalize() for w in self._small}

    def inside(self, phrase: str) -> str:
        """The phrase as written inside a sentence."""
        first, *rest = phrase.split(" ")
        small = " ".join([self._word(first), *rest])
        return re.sub(r"^our\b", "the", small)

    def label(self, phrase: str) -> str:
        """“Total Value” above a column is not a name."""
        bare = phrase.strip(" :")
        if bare.isupper() and " " in bare:
            return bare.lower()
        return " ".join(map(self._word, bare.split())) if bare.istitle() else self.inside(bare)

    def heading(self, phrase: str) -> str:
        is_loud = phrase.isupper() and " " in phrase
        small = " ".join(self._word(word.capitalize() if is_loud else word) for word in phrase.split())
        return f"the {small}" if f"the {small}" in self._text else small

    def names_in(self, phrase: str) -> bool:
        return not self._names.isdisjoint(phrase.split())

    def _word(self, word: str) -> str:
        is_plain = word in ("A", "An") or (word[:1].isupper() and word[1:].islower() and word not in self._names)
        return word.lower() if is_plain and word.lower() not in MONTHS else word


def plain(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text).strip().lower()


def asked_of_sentence(at: Given, wording: Wording) -> Candidate | None:
    """“Customer churn in fiscal 2025 was 7.4%.” answers “What was customer churn in fiscal 2025?”"""
    line = " ".join(at[2].text.split())
    if len(line) > LONGEST_QUOTE:
        return None
    if _RECOMMENDS.search(line):
        return Candidate("What is recommended?", "recommended", at)
    if counted := _COUNTED.match(line):
        return Candidate(f"How many {counted['subject']} were {counted['verb']}?", counted["subject"], at)
    if count := _COUNTS.match(line):
        there = f"{count['subject']} {count['verb']} there{count['where']}"
        return Candidate(f"How many {there}?", f"{count['subject']} {count['where']}", at)
    for clause in filter(None, _CLAUSES.split(line)):
        said = clause[:1].upper() + clause[1:]
        for pattern, made in _FORMS:
            match = pattern.match(said)
            if (
                match
                and _is_a_name(match["subject"], made not in (_due, _ends))
                and (question := made(match, said, wording))
            ):
                return Candidate(question, match["subject"], at)
    return _amount_of(at, line)


def asked_of_order(at: Given) -> Candidate | None:
    """From minutes and messages: who is to do what, and what has to be done by when."""
    line = " ".join(at[2].text.split())
    if len(line) > LONGEST_QUOTE:
        return None
    if at[2].is_item and (action := _ACTION.match(line)):
        will = "is to" if action["will"] == "to" else "will"
        return Candidate(f"Who {will} {action['what']}?", action["what"], at, action["who"], holds=(action["what"],))
    obliges = _OBLIGES.search(line)
    for period, (start, end) in period_spans(line) if obliges else ():
        if period.is_day and (by := _DEADLINE.search(line, max(0, start - 40), start)):
            day = line[by.start() : end].rstrip(".")
            return Candidate(f"What has to be done {day}?", day, at, anywhere=True)
    return None


def _amount_of(at: Given, line: str) -> Candidate | None:
    """“It pays an allowance of $750 for a desk” answers “How much is the allowance for a desk?”"""
    match = _AMOUNT_OF.search(line)
    if not match or not _is_amount(match["rest"]):
        return None
    about = f"{match['noun']}{_tail(match['rest'])}"
    said = set(content_stems(about))
    if said <= _SAYS_NOTHING:
        return None
    return (
        Candidate(f"How much is the {about}?", about, at)
        if 1 <= len(said) <= 7 and not _AUXILIARY.search(f" {about}")
        else None
    )


def _tail(rest: str) -> str:
    """What the amount is for."""
    tail = _TAIL.match(rest, quantities(rest)[0].end)
    return tail[0] if tail else ""


def _is_a_name(subject: str, is_strict: bool = True) -> bool:
    least = 3 if is_strict and subject.startswith(("The ", "A ", "An ")) and not subject[4:5].isupper() else 1
    return not (
        _POINTS_BACK.search(subject) or _AUXILIARY.search(subject) or len(set(content_stems(subject))) < min(least, 2)
    )


def _pays(match: re.Match[str], line: str, wording: Wording) -> str | None:
    auxiliary, verb = _COSTS[match["verb"]]
    by = "by how much" if match["verb"].endswith(" by") else "how much"
    if not _is_amount(match["rest"]):
        return None
    when = _period(line, match["subject"]) or ""
    return f"{by.capitalize()} {auxiliary} {wording.inside(match['subject'])} {verb}{when}?"


def _is_amount(rest: str) -> bool:
    told = quantities(rest)
    if not told or told[0].start > len("EUR "):
        return False
    is_money = bool(told[0].currency) or told[0].unit in ("percent", "money") or told[0].scaled
    return is_money or bool(re.match(r"[A-Z]{3} ?\d", rest))


def _due(match: re.Match[str], line: str, wording: Wording) -> str | None:
    """“Lost devices must be reported within 4 hours” answers “When must lost devices be reported?”"""
    is_passive = match["verb"] in ("is", "are", "was", "were") or match["done"].startswith("be ")
    if (is_passive and not _PARTICIPLE.fullmatch(match["done"])) or match["done"] in ("not", "also", "have"):
        return None
    begins = match["rest"] if is_passive else match["rest"][:8]
    lasting = _HOW_LONG.search(match["rest"][:60])
    if (lasting and lasting.start() > len(begins)) or (not is_passive and not _AT_A_TIME.match(match["rest"])):
        return None
    spans = [start for period, (start, _) in period_spans(match["rest"]) if period.is_day or period.year]
    if not lasting and (
        not spans or spans[0] > 30 or not re.search(r"\b(?:on|in|by|at|from|until)\s[\w ]*$", match["rest"][: spans[0]])
    ):
        return None
    asks = "How often" if lasting and lasting["how"] == "every" else "When"
    return f"{asks} {match['verb']} {wording.inside(match['subject'])} {match['done']}?"


def _ends(match: re.Match[str], line: str, wording: Wording) -> str | None:
    spans = period_spans(match["rest"])
    if not spans or spans[0][1][0] > 12:
        return None
    return f"When does {wording.inside(match['subject'])} {_base(match['verb'])}?"


def _base(verb: str) -> str:
    """The base form of “quotes”, “carries”, “reaches”."""
    return re.sub(r"(?:(?<=ch|sh|ss)es|(?<=[xz])es|s)$", "", re.sub(r"ies$", "ys", verb))


def _asks_for(match: re.Match[str], line: str, wording: Wording) -> str | None:
    if not _is_amount(match["rest"]):
        return None
    return f"How much does {wording.inside(match['subject'])} {_base(match['verb'])}{_tail(match['rest'])}?"


def _gives(match: re.Match[str], line: str, wording: Wording) -> str | None:
    if not _is_amount(match["rest"]):
        return None
    verb = match["verb"] if match["verb"] in ("was", "were", "is", "are") else be(match["subject"])
    when = _period(line, match["subject"])
    # Without its period, a past figure would be asked for as if it never changed.
    if when is None and verb in ("was", "were") and len(set(content_stems(match["subject"]))) < 2:
        return None
    asks = "How much" if verb in ("is", "are") and quantities(match["rest"])[0].currency else "What"
    return f"{asks} {verb} {wording.inside(match['subject'])}{when or ''}?"


def _defines(match: re.Match[str], line: str, wording: Wording) -> str | None:
    """Only for names: a sentence about “the matter” does not define it."""
    subject = match["subject"]
    said = subject.lower().split()
    is_common = len(said) == 1 and wording.inside(subject).islower()
    if is_common or len(set(said)) < len(said) or len(said) > 4 or said[0] in _NOT_DEFINED:
        return None
    return f"What {match['verb']} {wording.inside(subject)}?"


_FORMS = (
    (_PAYS, _pays), (_GIVES, _gives), (_DUE, _due), (_ASKS_FOR, _asks_for), (_ENDS, _ends),
    (_DEFINES, _defines),
)  # fmt: skip


def be(label: str) -> str:
    """“Was” or “were”, depending on the noun before “of”, “from” or “in”."""
    first = re.split(r"\s(?:of|from|in|on|to|for|before|after|per|by|at|attributable|used|provided)\b", label)[0]
    head = first.split()[-1]
    return "were" if re.search(r"(?:[^suia]s|ses|ies)$", head.lower()) else "was"


def _period(line: str, subject: str) -> str | None:
    if periods(subject):
        return ""
    # “5.05 percent (2022: 5.30 percent)”: the period in brackets belongs to another figure.
    spans = [(a, b) for period, (a, b) in period_spans(line) if period.year and not period.is_day]
    found = [line[a:b] for a, b in spans if line[a - 1 : a] != "("]
    article = "the " if found and re.match(r"(?:first|second|third|fourth|year|quarter)\b", found[0]) else ""
    return f" in {article}{found[0]}" if found else None


def asked_of_sections(given: Sequence[Given], wording: Wording) -> Iterator[Candidate]:
    """The heading “Waiting list” above sentences gives “What is said about the waiting list?”"""
    parts: dict[str, list[Given]] = {}
    alone = {line for page in {id(at[0]): at[0] for at in given}.values() for line in _lines_alone(page.text)}
    for at in given:
        if not at[2].cells and at[2].above:
            parts.setdefault(at[2].above.splitlines()[0].rpartition(" > ")[2], []).append(at)
    for heading, inside in parts.items():
        bare = NUMBERED.sub("", heading.strip(" #*:")).strip()
        told = [at for at in inside if len(at[2].text.split()) > 6 and not NOTICE.search(at[2].text)]
        if not told or _EMPTY_HEADING.fullmatch(bare) or not 1 <= len(content_stems(bare)) <= 6:
            continue
        is_said = any(bare.lower() in at[2].text for at in told)
        is_byline = any(period.is_day for period, _ in period_spans(bare))
        if is_byline or plain(heading) not in alone or (len(content_stems(bare)) < 2 and not is_said):
            continue
        if _ASKS.fullmatch(bare):
            yield Candidate(bare, bare, told[0], section=tuple(at[2].text for at in inside))
        elif re.fullmatch(r"(?!.*\d{5})[A-Za-z][\w &’'/-]{2,60}\w", bare) and not _NO_TOPIC.search(bare):
            decided = next((at for at in told if _DECIDED.search(at[2].text)), None)
            about = wording.heading(bare)
            done = "agreed" if decided and " agreed " in decided[2].text else "decided" if decided else "said"
            asks = f"What {'was' if decided else 'is'} {done} about {about}?"
            section = () if decided else tuple(at[2].text for at in inside)
            yield Candidate(asks, bare, decided or told[0], section=section, anywhere=decided is not None)


def _lines_alone(text: str) -> Iterator[str]:
    """Lines with nothing above them: the first line of a wrapped paragraph is not a title."""
    for above, line in pairwise(["", *text.splitlines()]):
        if not above.strip() and len(line) <= LONGEST_HEADING:
            yield plain(line)
