"""Patterns for the wording of questions, used by `language.question` and `language.follow_up`."""

import re
from typing import Literal

AnswerKind = Literal["number", "person", "time", "place", "list", "yes_no", "statement"]
Sought = Literal["time", "amount", "name", "anything"]
"""The kind of words that could answer the question."""
Disputable = Literal["date", "name", "denial"]
"""What two documents could contradict each other on, other than figures."""

NUMBER = r"""\bhow\ (?:many|much|large|big|high|low|long|often|fast|old|far|tall|deep|wide)\b | \bby\ how\ much\b
    | \bwhat\ (?:share|percentage|percent|number|amount|proportion|fraction)\b
    | \bwhat\ (?:is|was|were|are)\b.*\b(?:rate|revenue|sales|margin|costs?|price|number|amount|total|income|profit|loss
      |headcount|budget|size|churn|expenses?|debt|cash|inventory|salary|earnings|turnover|spending|assets|liabilities
      |equity)s?\b"""
PERSON = r"\bwho(?:m|se)?\b"
_IS = "is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|may|must"
WHEN = rf"(?:^\W*when\b|\bwhen(?=\s+(?:{_IS})\b|\W*$)|\b(?:since|by|until|and|or|know)\s+when\b)"
"""Matches “when” only where it asks: “what can we claim when it is late” does not ask for a time."""
TIME = rf"{WHEN} | \bwhat\ (?:date|year|month|day)\b | \b(?:in|by|on)\ which\ (?:year|month|quarter|date)\b"
PLACE = r"\bwhere\b | \b(?:in|at|to|from)\ (?:which|what)\ (?:city|country|town|place|location|region|state)\b"
_MANY = r"""risks|priorities|reasons|steps|measures|factors|conditions|actions|products|services|goals|drivers|countries
    |regions|sites|requirements|features|types|kinds|objectives|recommendations|benefits|challenges|pillars|initiatives
    |targets|obligations|rights|decisions|advantages|disadvantages|principles|values|commitments|ways|examples"""
LIST = rf"""\blist\b | \b(?:what|which)\ (?:are|were)\b | \bname\ (?:the|all|two|three|four|five)\b
    | \b(?:what|which)\ (?:[\w-]+\ ){{0,3}}(?:{_MANY})\b
    | \b(?:top|main|key|first)\ (?:two|three|four|five|six|seven|eight|nine|ten|\d{{1,2}})\b
    | ^\W*(?:what|which)\ (?:[\w-]+\ ){{0,2}}\w{{3,}}(?<!s)s\ (?:are|were|do|did|have|had|will|can|should|must)\b"""
_AUXILIARY = rf"^\W*(?:whether|{_IS})"
YES_NO = rf"{_AUXILIARY}\b"
_PATTERNS: dict[AnswerKind, str] = {
    "number": NUMBER, "person": PERSON, "time": TIME, "place": PLACE, "list": LIST, "yes_no": YES_NO
}  # fmt: skip
AUXILIARY = re.compile(rf"{_AUXILIARY}\s+", re.IGNORECASE)
KINDS = {kind: re.compile(pattern, re.IGNORECASE | re.VERBOSE) for kind, pattern in _PATTERNS.items()}

EXPLAINS = re.compile(
    r"\bwhy\b|\breasons?\b|\bcaus(?:e[ds]?|ing)\b|\bhow (?:do|does|did|is|are|was|were|will|would|can|should|to)\b"
    r"|\bexplain\b|\bdescribe\b|\bplans?\b|\bstrateg(?:y|ies)\b|\bapproach\b|\bsummari[sz]e\b|\bhappen(?:s|ed)?\b"
    r"|\bdiffer(?:s|ent|ence|ences)?\b|\bcompar\w+|\btell me\b|\bprocess\b|\bimpact\b|\beffects?\b",
    re.IGNORECASE,
)
_WHOLE = (
    r"(?:document|documents|report|article|paper|file|files|text|policy|memo|minutes|page|pdf|deck|filing|contract"
    r"|agreement|letter|book|material|materials|release|strategy|plan|presentation|proposal|brochure"
    r"|workspace|folder|collection)"
)
_PLEASE = (
    r"(?:(?:please|can|could|would|will|you|i|we|need|want|like|have|get|give|show|write|make|provide|me|us|with|to|a|an"
    r"|the|quick|short|brief|general|concise|high-level)\s+)*"
)
_ON = r"(?:\s+(?:on|about|of|for|by|from)(?:\s+[\w'’-]+){1,8})?"
OVERVIEW = re.compile(
    rf"\b(?:what(?:\s+is|\s+are|['’]s)\s+(?:(?:this|the|these|that|my|our)\s+{_WHOLE}|it|this|these)\s+(?:all\s+)?about"
    rf"|what(?:\s+is|['’]s)\s+in\s+(?:this|these|my|our)\s+{_WHOLE}|(?<!.)\W*{_PLEASE}(?:overview|summary)(?:,?\s+please)?"
    rf"|what\s+(?:does|do)\s+(?:this|the|these|my|our)\s+{_WHOLE}\s+(?:cover|say|contain|discuss|describe)"
    rf"|summari[sz]e(?:\s+(?:this|the|these|that|it|all|my|everything))?(?:(?:\s+(?!in\b|of\b|from\b)[\w-]+){{0,3}}\s+{_WHOLE}{_ON})?"
    rf"|what\s+(?:is|are)\s+(?:this|the|these|that)\s+(?:[\w-]+\s+){{1,3}}{_WHOLE}\s+about"
    rf"|(?:overview|summary|gist|synopsis)\s+of\s+(?:everything|(?:this|the|these|that|all|my|our)\s+(?:[\w-]+\s+){{0,3}}{_WHOLE}{_ON})"
    rf"|(?:main|key)\s+(?:points|topics|themes|messages|takeaways|findings)\s+(?:of|in|from)\s+(?:this|the|these|that)\s+{_WHOLE}"
    rf"|tl;?dr)\b[\s?.!]*$",
    re.IGNORECASE,
)

NEXT_PART = re.compile(
    r"[,;]?\s+(?:and|as well as)\s+(?:also\s+)?(?=(?:how|what|who|whom|when|where|which|why|whether|by|in which)\b)"
    r"|,\s+(?=(?:how\s+(?:many|much|long|old|far|big)|what|who|when|where|why)\s+(?:is|are|was|were|does|do|did|has|have|will|\w+s)\b)"
    rf"|,\s+and\s+(?=(?:{_IS})\s+(?:there|it|they|we|he|she|this|that|the|our|any)\b)"
    r"|\?\s+(?=\w)",
    re.IGNORECASE,
)
_BEFORE_A_NOUN = (
    "before|after|since|until|during|under|in|on|at|for|from|by|with|without|within|among|of|as|once|apart|despite"
    r"|against|across|over|besides|[a-z]{3,}ing"
)
SCENE = re.compile(
    rf"\W*(?:(?:if(?!\s+(?:so|not|any))|when(?!\s+(?:{_IS}))|given|suppose|provided|now that)\b"
    rf"|(?:{_BEFORE_A_NOUN})\b(?!.*\b(?:what|which|who|whom|whose|when|where|why|how)\b))[^?]*$",
    re.IGNORECASE,
)
"""A clause that says of what, when or by whom, and asks nothing: “Before tax, …”, “According to the auditors, …”."""
GOES_ON = re.compile(r",\s+(?!and\b)")
"""The question follows right after the comma: “In May was it open, and who ran it?” asks two things."""
REMARK = re.compile(r"\W*(?:I|we|my|our|it|there|this|that|he|she|they)\b[^?]*$", re.IGNORECASE)
"""“I have seen two numbers.” is a remark beside a question, not a question."""
ASKS = re.compile(rf"\W*(?:who|whom|whose|what|when|where|which|why|how|whether|{_IS})\b[^?]*\?", re.IGNORECASE)
NEXT_SENTENCE = re.compile(r"(?<=[.!])\s+(?=[A-Z])")
REFERS_BACK = re.compile(
    r"\b(?:it|its|they|them|their|there|this|that|these|those|he|she|him|her|one)\b", re.IGNORECASE
)

COUNTED = re.compile(
    r"\bhow many\s+(.+?)(?=,|\?|$|\s(?:do|does|did|is|are|was|were|will|would|has|have|had|can|should|work|live)\b)",
    re.IGNORECASE,
)


SPOKEN_OF = re.compile(
    r"^\W*(?:who|what|when|where|why|how|which)\b(?:\s+(?:much|many|long|often|\w+))?\s+(?P<verb>is|are|was|were|does|do|did|will)"
    r"\s+(?P<thing>(?:(?!(?:to|in|on|at|by|for|from|with|about|as|due|set|not)\b)[\w&'’-]+\s*){1,7})",
    re.IGNORECASE,
)
PRONOUN = re.compile(r"\b(?:(it|they|them)|(its|their|his|her))\b", re.IGNORECASE)
SEVERAL_THINGS = re.compile(r"\b(?:they|them)\b", re.IGNORECASE)

_HOW = "many|much|long|old|far|tall|high|large|big|deep|wide|heavy|fast"
SEEKS: dict[Sought, re.Pattern[str]] = {
    "time": re.compile(
        rf"{WHEN}|\b(?:what|which)\s+(?:\w+\s+)?(?:date|year|month|day|century|decade)\b|\bdate of\b", re.IGNORECASE
    ),
    "amount": re.compile(
        rf"\bhow\s+(?:{_HOW})\b"
        r"|\b(?:population|number|amount|percentage|share|total|median age|price|cost|revenue|headcount)"
        r"\s+(?:of|in|for)\b",
        re.IGNORECASE,
    ),
    "name": re.compile(
        r"\bwho(?:m|se)?\b|\bwhere\b"
        r"|\b(?:what|which)\s+(?:city|country|state|county|company|firm|bank|person|team|club|town)\b",
        re.IGNORECASE,
    ),
}
"""The kind of words that could answer; the first pattern that matches decides."""

DISPUTABLE: dict[Disputable, re.Pattern[str]] = {
    "date": re.compile(rf"{WHEN}|\b(?:what|which)\s+(?:date|year|month|day)\b", re.IGNORECASE),
    "name": re.compile(
        r"\bwho\s+(?!are\b|were\b|have\b|do\b)|\bwhich\s+(?:person|firm|company|bank|auditor)\b", re.IGNORECASE
    ),
    "denial": re.compile(
        r"^\W*(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should)\b|\bwhether\b", re.IGNORECASE
    ),
}
"""The fact on which two documents could differ; the first pattern that matches decides."""

A_WHOLE_YEAR = re.compile(
    r"\b(?:whole|entire|all)\s+(?:of\s+)?(?:the\s+)?(?:(?:fiscal|financial)\s+)?(?:year|20\d\d)\b"
    r"|\bfull[ -]year\b|\bannual(?!\s+(?:report|accounts|general|meeting|statement))\b",
    re.IGNORECASE,
)
COUNTS = re.compile(r"\bhow many\b(?!\s+(?:percent|dollars|euros|million|billion))", re.IGNORECASE)
SHARES = re.compile(
    r"\b(?:what|which)\s+(?:(?:is|was|were|are)\s+)?(?:the\s+)?(?:\w+\s+)?(?:share|percentage|percent|proportion|rate)\b",
    re.IGNORECASE,
)
HOW_MUCH = re.compile(r"\bhow (?:long|far|old|large|big|high|low|often|fast|heavy|deep|wide)\b", re.IGNORECASE)
NO_FIGURE = re.compile(r"\W*(?:why|who|whom|whose|where|when)\b", re.IGNORECASE)

SEVERAL = re.compile(
    rf"""\b(?:list|lists|enumerate|examples?|compare|comparison|difference|differ|versus|vs|trend|summari[sz]e
      |describe|explain|overview|discuss|outline|some|various|respectively|each|every|all)\b
    | \b(?:who|what|which)\s+(?:are|were|have|do)\b
    | \bwhy\b | \bhow\s+(?!(?:{_HOW})\b)
    | \?\s*\S""",
    re.VERBOSE,
)
"""Lists, comparisons and explanations: several documents can add to them without contradicting each other."""
ONE = re.compile(
    rf"""\bwho(?:m|se)?\b | \bwhen\b | \bwhere\b
    | \bhow\s+(?:{_HOW})\b
    | \b(?:what|which)\s+(?:is|was|will\s+be)\s+(?:the|its|his|her|their|(?:\w+\s+){{0,3}}\w+['’]s)\s+
    | \b(?:what|which)\s+(?P<noun>(?!(?:is|was|were|are|did|does|do|has|have|will|would|can|could|should)\b)\w+)\b
    | \bwhat\s+(?:does|did)\b.*\b(?:refer\s+to|stand\s+for|mean)\b""",
    re.IGNORECASE | re.VERBOSE,
)
NOT_PLURAL = re.compile(r"(?:ss|us|is|ics|series|species|sports|news)$", re.IGNORECASE)
OPEN_ENDED = frozenset(
    "strategy approach view opinion plan outlook rationale reason purpose role impact effect risk challenge concern "
    "benefit relationship significance importance status situation position priority focus process procedure policy "
    "measure measures steps recommendation conclusion finding result".split()
)
"""Things that a document may describe in many ways: two descriptions of a strategy are not two strategies."""
SUBJECT = re.compile(
    r"\b(?:what|which)\s+(?:is|was|will\s+be)\s+(?:the|its|his|her|their|(?:\w+\s+){0,3}\w+['’]s)\s+((?:[\w-]+\s+){0,2}?[\w-]+)"
    r"(?=\s+(?:of|for|in|at|by|on|that|which|to|from|with|behind|associated)\b|\s*[?\"“]|$)",
    re.IGNORECASE,
)
TITLES_AND_NAMES = re.compile(r"[\"“][^\"”]*[\"”]|(?<!^)\b[A-Z]\S*")
"""Titles and names may contain any word: “Both Sides Now” does not ask for several things."""
NAME = re.compile(r"\b[A-Z][\w&.'’-]*(?:\s+(?:(?:of|the|and|de|la|&)\s+){0,2}[A-Z][\w&.'’-]*)*")
TITLE = re.compile(r"[\"“]([^\"”]+)[\"”]")
ASKING_WORDS = frozenset("what which who whom whose when where how in on at by for the".split())
QUOTED = re.compile(r"[\"“”„«»]([^\"“”„«»]{3,200})[\"“”„«»]")

_YEAR = r"((?:19|20)\d\d)"
SPAN = re.compile(
    rf"\b{_YEAR}\s*(?:to|through|until|-|–)\s*{_YEAR}\b|\bbetween\s+(?:fiscal\s+)?(?:year\s+)?{_YEAR}\s+and\s+{_YEAR}\b",
    re.IGNORECASE,
)
POINT = re.compile(
    r"\b(?:as (?:of|at)|at (?:the )?(?:end|close|start|beginning) of|at (?:year|quarter|period)[- ]end"
    r"|at (?=(?:January|February|March|April|May|June|July|August|September|October|November|December|\d)))\b",
    re.IGNORECASE,
)
PERCENT = re.compile(r"percent|per cent|%", re.IGNORECASE)
LATEST_DOCUMENT = re.compile(
    r"\b(?:latest|newest|most recent(?:ly)?|last (?:quarter|year|report|filing))\b", re.IGNORECASE
)
NEWEST = re.compile(r"\b(?:latest|most recent|newest|current)\b", re.IGNORECASE)
ACROSS = re.compile(
    r"\b(?:over|across|throughout|through|during|in|for)\s+(?:the |these |those |all |each )*"
    r"(?:reported |reporting |past |last |recent |provided )*"
    r"(?:time|periods?|quarters|years|months|filings|reports|10-?Qs?|10-?Ks?)\b",
    re.IGNORECASE,
)
TURNED = re.compile(
    r"\b(?:chang\w+|trend\w*|fluctuat\w+|evolv\w+|develop\w*|var(?:y|ied)|shifted|moved|compare\w*)\b", re.IGNORECASE
)
OF_A_DOCUMENT = re.compile(
    r"\b(?:10-?[QK]s?|(?:quarterly|annual|interim) (?:report|filing)s?|filings?)\b", re.IGNORECASE
)
PARTS = re.compile(
    r"\b(?:break(?:ing|s)?[- ]?down|split)\b(?:\s+of\b)?|\b(?:by|for each|per|in each|across)"
    r"(?:\s+(?:its|their|the|all|various|different|main|reportable|operating))*\s+(?:\w+\s)?"
    r"(?:segment|region|product|categor|business|service|geograph|division|market|line|type|department|countr|channel)\w*",
    re.IGNORECASE,
)
