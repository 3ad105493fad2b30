"""Patterns for stated limits in English. The comment above a pattern gives sentences that it matches."""

from masis.language.characters import GAP, SHORT_GAP, one_of

_SUPPLIED = one_of(
    "provided available given supplied retrieved uploaded cited present current existing underlying relevant"
)
EVIDENCE = one_of(
    r"""documents? documentation sources?(?!\sof\b) evidence contexts? passages? excerpts? extracts? chunks?
    snippets? texts? materials? files? filings? reports? records? transcripts? articles? papers?
    presentations? workspace corpus 10-k 10-q 8-k 20-f prospectus memos? letters? notes slides? deck
    spreadsheets? tables? disclosures? posts? handbooks? minutes brochures? web\s?pages?""",
    "(?:studies|study(?! group| period))",
    "press releases?",
    "knowledge base",
    "search results?",
    rf"{_SUPPLIED} (?:information|data|content|facts?)",
    r"[\w-]+\.(?:pdf|docx?|xlsx?|csv|pptx?|txt|md|html?)",
)
_OUR_EVIDENCE = one_of(
    "documents? documentation sources? evidence contexts? passages? excerpts? extracts? chunks? materials?"
    " files?"
    " workspace corpus texts?",
    "search results?",
    rf"{_SUPPLIED} (?:\w+ ){{0,2}}(?:information|data|content|reports?|filings?|records?|facts?)",
)
_HERE = rf"(?:the|these|this|those|any of the|our|all|either|any|your) (?:\w+ ){{0,2}}?{_OUR_EVIDENCE}\b(?!-)"
_IN_IT = rf"(?:{_HERE}|the (?:\w+ ){{0,2}}{EVIDENCE}\b)"
_KNOWLEDGE = one_of(
    "information data details? mentions? evidence figures? references? breakdowns? indications?"
    " explanations? answers?"
    " documents? discussions? basis specifics? hints? insights?"
)
_INFORMATION = one_of(
    """numbers? sources? passages? statements? records? disclosures? values? estimates? forecasts?
    comparisons? descriptions? clarification reasons? clues? commentary targets? timelines? dates?
    amounts? results? matches facts? coverage""",
    _KNOWLEDGE,
)
_ADVERB = one_of(
    """explicitly specifically directly clearly fully actually further currently yet also either separately
    expressly themselves itself however ever anywhere always really otherwise precisely exactly""",
    "seem to",
    "appear to",
    "in fact",
)
_ADVERBS = rf"(?:{_ADVERB} )*"
_SAY = one_of(
    r"""say state specify mention disclose provide(?!\sfor) give contain include cover address discuss
    describe indicate reveal identify detail quantify explain report list name clarify answer offer
    present refer comment touch elaborate show support confirm establish define tell extend substantiate
    suggest compare distinguish separate outline record note speak shed resolve settle suffice contradict
    date attribute supply hold""",
    "go into",
    "break (?:out|down|it|this|that|them)",
    "make (?:any |explicit )?(?:mention|reference)",
    "have (?:any |enough |sufficient )?(?:information|data|details?)",
    r"(?:allow|permit|enable|let)\b[^.;]{0,40}"
    "(?:conclu|determin|calculat|answer|compar|assess|verif|infer|derive|say|know|tell)",
)
_SAYS = one_of(
    """says? states? mentions? gives? contains? provides? covers? address(?:es)? discuss(?:es)?
    specif(?:y|ies) discloses? explains? describes? names? answers? supports?"""
)
_STATED = one_of(
    "stated specified mentioned indicated quantified detailed addressed", "spelled out", r"elaborated(?: on)?"
)
_EXPLAINED = one_of(
    "provided given explained described disclosed reported known clear discussed identified answered documented",
    r"broken (?:out|down)",
)
_SAID = one_of(
    """said contained included covered revealed listed named clarified offered presented shown supported
    confirmed established defined found available referenced present evident apparent part substantiated
    elaborated recorded noted determined determinable derivable verifiable possible visible published
    announced""",
    "set out",
    _STATED,
    _EXPLAINED,
)
_FOUND_OUT = one_of(
    """determined established answered verified concluded confirmed inferred derived calculated computed
    assessed ascertained identified deduced found judged evaluated compared quantified known said told
    located resolved drawn made given stated supported"""
)
_CONCLUDE = one_of("determine verify confirm conclude establish infer derive")
_FIND_OUT = one_of(
    "find locate identify answer know say tell calculate assess ascertain judge compare compute quantify",
    "see any",
    "(?:give|provide) (?:an?|the|any)",
    _CONCLUDE,
)
_NO = one_of("no insufficient little limited scant inadequate", "not (?:any|enough)", "hardly any", "too little")
_QUALIFIERS = r"(?:(?!(?:and|or)\b)[\w-]+ ){0,3}?"
_NOT_BY_SOMEBODY = rf"(?! by (?!{_HERE}))(?! (?:on|at|during) the (?:call|meeting|conference|hearing|event|webcast))"
_QUESTION_WORD = one_of("whether if how why what which when who where")

_ANY_VERB = (
    r"(?!only\b|just\b|agree|contradict|conflict|open\b|work\b|run\b|apply\b|ban\b|require|allow|permit)[a-z]{3,}"
)

LIMITS = (
    # The retrieved evidence does not do something, whatever that is; nor does the question.
    rf"\b{_HERE}{SHORT_GAP} (?:do|does|did|can|could) not {_ADVERBS}{_ANY_VERB}",
    rf"\b{_HERE}{SHORT_GAP} (?:shows?|mentions?|names?|lists?|records?|holds?|has|have|links?|describes?|speaks? of) "
    r"(?:no|neither|nothing|none)\b",
    rf"\b{_HERE}{SHORT_GAP} (?:gives?|contains?|shows?|names?|describes?|provides?|mentions?) only\b"
    r"[^.;]{0,60}(?:, not\b|\bpartial\b|\bopenings?\b)",
    rf"\b{_HERE}{SHORT_GAP} (?:breaks? off|ends?|stops?) (?:before|short)\b",
    r"\b(?:the|your|this) question\b[^.;,]{0,30} (?:does not|do not|leaves open|leaves it open)\b",
    rf"^\W*no (?:passage|document|source|excerpt)s?\b{SHORT_GAP} [a-z]{{3,}}s\b",
    # Unable to answer based on the passages.
    r"\bunable to answer\b",
    # It is not broken down by product.
    r"\b(?:is|are) not (?:broken down|split|itemi[sz]ed|separated|shown) by\b",
    # Whether they agree therefore cannot be said.
    r"\b(?:whether|which|who|what|why|how)\b[^.;]{3,80}\b(?:can|could) not be (?:said|told|known)\b",
    # The documents do not explicitly say why.
    rf"\b{EVIDENCE}\b{GAP}\b(?:do|does|did) not {_ADVERBS}{_SAY}",
    # The company does not disclose its margins in the provided documents.
    rf"\b(?:do|does|did) not {_ADVERBS}{_SAY}\b{GAP} (?:in|within|from) {_HERE}",
    # The policy is silent on transfers. The lease does not say who pays.
    r"\b(?:the|this) (?:policy|contract|agreement|lease|minutes|handbook|manual|guide|page|post|study|survey)\b"
    r"[^.;,]{0,30} (?:(?:is|are) silent\b|(?:do|does) not (?:say|state|specify|mention|quantify|explain|indicate)\b)",
    # What guests paid is not in the table.
    r"\b(?:is|are) not in the (?:table|evidence|documents?|passages?|sources?|excerpts?)\b",
    # The figures are not directly comparable.
    r"\b(?:is|are) (?:therefore |thus )?not (?:directly |strictly |fully )?comparable\b",
    # The annual report is silent on churn.
    rf"\b{EVIDENCE}\b{SHORT_GAP} (?:is|are|remains?|stays?) (?:\w+ )?"
    r"(?:silent|quiet|mute|unclear|insufficient|inconclusive|incomplete|limited to"
    r"|not (?:\w+ )?(?:clear|specific|sufficient|enough|conclusive|complete))",
    # The passages describe the method rather than the results. So the results cannot be given in numbers.
    rf"\b{_HERE}{SHORT_GAP} (?:describes?|covers?|gives?|contains?|concerns?|discuss(?:es)?|are about|is about)\b"
    rf"{GAP}\b(?:rather than|instead of|but not)\b",
    r"\b(?:results?|figures?|numbers?|amounts?|totals?|reasons?|causes?|answer|changes?|shares?|values?|dates?|names?)\b"
    rf"{SHORT_GAP} can not (?:\w+ )?be (?:given|named|stated|shown|quantified|told|broken down|computed|calculated)\b",
    # The sources lack a definition. The memo stops short of naming it.
    rf"\b{EVIDENCE}\b{SHORT_GAP} (?:lacks?|omits?|fails? to {_SAY}|stops? short of"
    r"|(?:says?|states?|reveals?|contains?|provides?|offers?) (?:nothing|little)"
    rf"|leaves? {SHORT_GAP}(?:open|unanswered|unclear|unsaid))",
    # The context provides no figures. The sources give no reason.
    rf"\b{EVIDENCE}\b{SHORT_GAP} (?:contains?|provides?|gives?|makes?|includes?|offers?|has|have|holds?"
    r"|mentions?|shows?"
    rf"|presents?) {_NO} {_QUALIFIERS}{_INFORMATION}\b",
    rf"\b{EVIDENCE}\b{SHORT_GAP} (?:gives?|provides?|offers?|states?|names?|mentions?|specif(?:y|ies)"
    r"|discloses?) "
    r"(?:no|only (?:partial|limited|some))\b",
    # The excerpts only cover 2023.
    rf"\b{EVIDENCE}\b{SHORT_GAP} (?:only|solely) "
    r"(?:covers?|address(?:es)?|discuss(?:es)?|relates?|extends?|go(?:es)?|runs?|reach(?:es)?)\b",
    # None of the sources mentions it. Neither document says so.
    r"\b(?:none|neither|nothing|no part) (?:of|in) (?:the|these|those|any|this|our|it)\b"
    rf"{SHORT_GAP}\b{EVIDENCE}\b",
    r"\b(?:no|neither) (?:\w+ )?(?:document|source|passage|chunk|excerpt|report|filing"
    rf"|file)s?\b{SHORT_GAP} {_SAYS}\b",
    rf"\bneither (?:the|our) [^.;]{{0,30}}?{EVIDENCE} nor\b",
    # No information on churn was found.
    rf"\bno {_QUALIFIERS}{_INFORMATION}\b{GAP}\b(?:was|were|is|are|could be|can be|has been|have been) "
    r"(?:found|available|provided|given|included|located|identified|present|retrieved|contained|supplied"
    r"|made|offered"
    rf"|mentioned|stated|drawn){_NOT_BY_SOMEBODY}",
    rf"\bno {_QUALIFIERS}{_INFORMATION}\b{GAP} (?:in|within|from|across) {_HERE}",
    # There is no mention of Asia. Data for 2022 is missing.
    rf"\bthere (?:is|are|seems? to be|appears? to be) (?:currently )?{_NO} {_QUALIFIERS}{_KNOWLEDGE}\b"
    r"(?! (?:cent|breach|loss|point|protect))",
    rf"\b{_INFORMATION} (?:for|on|about|regarding|of|from)\b{SHORT_GAP} (?:is|are|was|were) "
    r"(?:missing|lacking|absent|unavailable|not (?:available|found|included|provided|given"
    rf"|present))\b{_NOT_BY_SOMEBODY}",
    # Insufficient information to rank them.
    r"(?<!found )(?<!cited )(?<!had )(?<!has )(?<!or )\b"
    rf"(?:insufficient|not enough|inadequate|too little|not sufficient) {_QUALIFIERS}"
    r"(?:information|evidence|data|details?|context|documentation)\b",
    # The price is not mentioned. The cause is not explained.
    rf"\b(?:is|are|was|were|be) not {_ADVERBS}{_STATED}\b{_NOT_BY_SOMEBODY}",
    rf"\b(?:is|are) not {_ADVERBS}{_EXPLAINED}\W*$",
    # It has not been disclosed in the documents. It does not appear in the report.
    rf"\bnot (?:been )?{_ADVERBS}{_SAID}{SHORT_GAP} (?:in|within|from|by|among|across"
    rf"|on the basis of) {_HERE}",
    rf"\b(?:is|are|was|were) (?:absent|missing|lacking|omitted|left out) (?:from|in) {_IN_IT}",
    rf"\b(?:does|do|did) not (?:appear|figure|feature|occur|emerge|follow)\b{SHORT_GAP} (?:in|from"
    rf"|anywhere in) {_IN_IT}",
    # It cannot be determined (from the sources).
    rf"\b(?:can|could) not (?:\w+ )?be {_ADVERBS}{_FOUND_OUT}{GAP} "
    rf"(?:in|within|from|by|based|using|with|on|given|without) {SHORT_GAP}{EVIDENCE}",
    rf"\b{EVIDENCE}\b{GAP}\b(?:can|could) not be {_ADVERBS}{_FOUND_OUT}",
    r"\b(?:can|could) not (?:\w+ )?be (?:\w+ly )?"
    r"(?:determined|established|answered|verified|concluded|inferred|ascertained|deduced|derived"
    r"|confirmed)\W*$",
    rf"\b(?:this|that|the|your) (?:question|part|point|aspect)\b{GAP} (?:can|could) not be "
    r"(?:\w+ )?answered\b",
    # I could not find it. We were unable to determine it.
    rf"\bi (?:can|could|did|do|was|am) (?:not|unable to|not able to) (?:be able to )?{_ADVERBS}{_FIND_OUT}\b",
    r"\bwe (?:can|could|did|were|are) (?:not|unable to|not able to) (?:be able to )?"
    rf"{_ADVERBS}(?:{_CONCLUDE}|{_FIND_OUT}{GAP}(?:{_INFORMATION}|{EVIDENCE}))\b",
    rf"\b(?:i|we) (?:do|did) not (?:currently )?have {_QUALIFIERS}"
    r"(?:information|data|evidence|details?|access|context|sources?|documents?)\b",
    rf"\b(?:i|we) (?:have|found|find|see|saw) {_NO} {_QUALIFIERS}{_INFORMATION}\b",
    r"\bnothing (?:was|could be|is) found\b|\b(?:i|we) found nothing\b",
    # It is unclear whether … The cause remains unknown.
    r"\bit is (?:therefore |thus |also )?(?:not possible|impossible|unclear|unknown|not known|not clear"
    r"|uncertain) "
    r"(?:\w+ ){0,4}?(?:to (?:determine|say|tell|answer|know|establish|verify|conclude|confirm|assess"
    r"|calculate|compare"
    rf"|infer)|{_QUESTION_WORD}|from)\b",
    r"\b(?:is|are|remains?) (?:therefore |thus |also |still |left )?"
    r"(?:unclear|unknown|unspecified|unanswered|undetermined|unaddressed|unquantified)"
    rf"(?= (?:from|in|based|{_QUESTION_WORD})\b|[,.;:]|\W*$)",
    # Beyond the scope of the documents. More documents are needed.
    rf"\b(?:outside|beyond|out of) the scope of {_IN_IT}",
    rf"\b(?:further|additional|more|other) {_QUALIFIERS}"
    r"(?:information|documents?|data|evidence|sources?|documentation|filings?) "
    r"(?:is|are|would be|will be|may be) (?:needed|required|necessary)\b",
    # Not stated. | Capex: not disclosed in the sources
    r"^\W*(?:[\w ]{0,40}[:|] ?)?"
    r"(?:not (?:stated|specified|mentioned|available|provided|found|covered|given|known|addressed"
    r"|disclosed|reported)"
    r"|unknown|unclear|no answer|no information|no data|n/a)(?: (?:in|by|from|on|about"
    r"|for)\b[^,;]{0,80})?\W*$",
)
