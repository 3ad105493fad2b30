"""Patterns for instructions that documents address to a machine reading them. A space in a pattern matches any white
space."""

import re

from masis.language.characters import one_of

START = re.compile(
    r"(?:^|(?<=[.!?:;|\n\]>)\"'*#({—-])|(?<=\bnow,)|(?<=\bthen)|(?<=\bplease))\s{0,40}(?=[\w\"'])",
)
"""Places where an order can begin: a sentence, a line, a bracket, or after “please”."""

IN_SENTENCE = r"(?:[^.!?\n]|[.!?](?=[^\s])|\n(?!\s*\n))"
"""A dot inside an address does not end a sentence, and neither does the end of a line."""
_GAP = IN_SENTENCE + "{0,60}?"
_FAR = IN_SENTENCE + "{0,160}?"

_OBLIGED = one_of("must should shall will", "(?:need|have) to", "are (?:to|required to|instructed to)")
POLITE = (
    "(?:"
    + one_of(
        "please kindly now instead also just simply immediately first finally additionally and then important always",
        f"you {_OBLIGED}",
        "(?:can|could|would|will) you",
        "make sure (?:to|you)",
        "be sure to",
        "remember to",
    )
    + "[,:!]? ){0,3}"
)

_EARLIER = one_of(
    "previous prior above preceding earlier former foregoing all any your other existing original initial system past",
    r"(?:the|these|those|every|each|of)",
)
_RULES = one_of(
    "instructions? prompts? directions? directives? commands? guardrails? programming training",
    "(?:safety |security |content )?(?:rules?|guidelines?|constraints?|restrictions?|polic(?:y|ies))",
)
_AI = one_of(
    r"ais? a\.i\. llms? chatgpt gpt(?:-?\d\S{0,4})? claude gemini copilot chatbots? summari[sz]ers?",
    "(?:large |ai )?language models?",
    "(?:ai|artificial intelligence|virtual|digital|automated|intelligent)(?: |-)"
    + one_of("models? agents? assistants? systems? readers? reviewers? tools? bots?"),
    "assistants?(?= ?[:,!—-])",
)
_READS_IT = one_of("reads? process(?:es)? summari[sz]es? parses? reviews?", "is (?:reading|processing)")
_DICTATED = one_of("say state claim write answer respond reply output print declare repeat report")
_READS = one_of("reading processing reviewing summari[sz]ing analy[sz]ing using handling that who")
_READING = rf"(?: {_READS}\b[^.!?:]{{0,60}})?"
_SPEAK = one_of(
    """say state claim write answer respond reply output print declare tell inform assure recommend mention ignore
    disregard refuse never always only repeat""",
    "do not (?:say|mention|answer|reveal|tell|use|cite)",
)
_REPLY = one_of("responses? answers? reply replies outputs? completion summary translation message")
_SHAPE = one_of(
    """add append prepend include insert integrate incorporate embed mention weave augment enhance extend modify change
    alter adapt adjust edit rewrite transform convert turn render encode encrypt cipher reverse replace substitute swap
    use remove strip omit delete drop group combine join merge scramble shuffle jumble rearrange anagram misspell
    introduce sprinkle translate format structure start begin preface open end finish conclude close limit restrict keep
    make write phrase express state present craft generate produce print output put place repeat capitali[sz]e spell
    sign hide conceal fill""",
)
_FOR_PEOPLE = one_of(
    "number reference ref case ticket invoice receipt name contact phone telephone address signature cv resume résumé",
    "(?:order|account) (?:id|no)",
    "subject line",
    "date of birth",
    "answer sheet",
    "(?:box|space|form|sheet|lines?) (?:below|provided|above)",
)
"""What a genuine letter asks its reader to put into a reply."""
_MANNER = one_of(
    """json xml yaml html markdown english french german spanish italian portuguese dutch russian chinese japanese
    arabic hindi korean latin emojis? rhymes? reverse base64 rot13 binary hex morse uppercase lowercase capitals""",
    "(?:all|only) (?:caps|capitals|lowercase|uppercase|emojis?)",
    "(?:the )?(?:style|voice|tone|manner|form) of",
    r"(?:a|one|two|three|\d+) (?:\w+ )?(?:words?|sentences?|lines?|emojis?|haiku|poem|limerick|rhyme)",
    "pig latin",
    "another language",
)
_ALONE = one_of("only solely exclusively entirely strictly just")
_NOT_A_FORECAST = "prior(?! (?:guidance|outlooks?|forecasts?|estimates?|versions?))"
_ON_PAPER = one_of("attached enclosed signed completed form soon instructed directed shown")
_WITH_WHAT = (
    rf"(?: (?:with|as|using|like)\b(?! (?:the |your |an? )*{_ON_PAPER}\b)"
    r"| ?:| ?[\"'«]| (?:yes|no|true|false|ok)\b"
    rf"| (?:in |by )?(?:the {one_of('words? phrase text sentence string following single exact final result code')}\b"
    rf"|(?:your |an? |the )?{_REPLY}\b|{_MANNER}\b))"
)
"""What an answer is to consist of. “Respond only in writing” and “return only the signed copy” are about letters."""
_SOMEONE = one_of("someone anyone users somebody anybody", "(?:the|a|any) user")

ORDERS: dict[str, tuple[str, ...]] = {
    "override": (
        one_of(
            "ignore ignoring disregard forget override bypass discard neglect",
            "set aside",
            "pay no attention to",
            "(?:do not|don't) (?:follow|obey)",
            "stop (?:following|obeying)",
        )
        + rf" (?:about )?(?:{_EARLIER} ){{1,4}}{_GAP}\b{_RULES}\b",
        # Companies withdraw guidance too; it is an order only if it then says what to write.
        rf"(?:ignore|disregard|forget|override|bypass) (?:{_EARLIER} ){{1,4}}guidance,? and (?:then )?"
        + one_of("say state claim write print output reveal leak show answer respond reply")
        + r"\b",
        rf"(?:ignore|disregard|forget) {one_of('everything anything what whatever', 'all(?: of)?(?: that)?')} {_GAP}"
        rf"\b{one_of('above before previously told instructed know learned asked', _NOT_A_FORECAST, 'so far')}\b",
        rf"(?:new|updated|real|actual|hidden|secret|system) instructions?(?: for {_FAR})? ?:",
        "(?:pretend|imagine) (?:to be|that you are|you are|you're) ",
        rf"(?:act|behave|role-?play|respond|answer|speak|reply) (?:as if you|as though you|as an? {_GAP}\b{_AI})\b",
    ),
    "address": (
        "(?:dear|hey|hello|hi|attention|(?:note|notice|message|instructions?|important) (?:to|for)) "
        rf"(?:all |any |the |every )*{_AI}\b{_READING} ?[:,!—-]",
        rf"(?:(?:to|for) )?(?:all |any |the |every )*{_AI}\b{_READING} ?: ?(?:please|you|{_SPEAK}|rate|give|treat)\b",
    ),
    "reply": (
        rf"{_SHAPE}\b(?!{_GAP}\b{_FOR_PEOPLE}\b){_FAR}\byour {_REPLY}\b"
        r"(?! (?:before|within|no later|to (?:us|me)|by (?:e-?mail|phone|post|mail|return|the|no later|\w+day|\d))\b)",
        one_of("replace substitute swap scramble remove reverse double misspell encode shuffle jumble capitali[sz]e")
        + r" (?:all |every |each |the |any )*(?:\w+ )?(?:letters?|vowels?|consonants?|words?|characters?|spaces)\b",
        rf"(?:provide|give|deliver|return|submit|write|present|send|make|keep) your (?:\w+ )?{_REPLY} (?:with(?! in\b)"
        r"|in (?!writing|person|full|time|advance|the (?:box|space|form)|due)|as (?!soon)|using|without|only|entirely"
        r"|backwards?|like|to (?:be|sound|include))\b",
        "(?:in|throughout|within|at the (?:very )?(?:end|start|beginning) of|for|with|inside) (?:all |each )?(?:of )?"
        rf"your {_REPLY}\b[^.!?]{{0,10}}[,\s]\s{{0,5}}\w",
        rf"{_SHAPE}\b{_GAP}\byour {_REPLY}'s\b",
        "(?:respond|reply|answer|write|speak|output|talk)(?: back)?(?: to (?:the|this|any|every)"
        rf" (?:question|user|prompt|query))?(?: {_ALONE})? (?:in|with|using|as|by|like) (?:only |just |exactly "
        r"|nothing (?:but|except) |the (?:words?|phrase|text|sentence|string|following|single|exact)\b"
        rf"|{_MANNER}\b|[\"'«])",
        "(?:respond|reply|answer|output|say|write|print|return) "
        rf"(?:(?:{_ALONE}|exactly)\b{_WITH_WHAT}|nothing (?:but|except|else)\b)",
        rf"only (?:respond|reply|answer|output|say|print|return)\b{_WITH_WHAT}",
        "(?:translate|summari[sz]e|rewrite|paraphrase) (?:this|the (?:above|following|preceding)) "
        r"(?:e-?mail|mail|message|document|text|page|passage|file|sentence)\b",
        "(?:do not|don't|never) "
        + one_of("answer address mention reveal cite quote use trust tell inform translate summari[sz]e follow")
        + " (?:the (?:user(?!s? (?:name|manual))|(?:original )?question|other (?:documents?|passages?|sources?)"
        "|rest of the (?:document|text|passages?))|these instructions|this instruction"
        "|any other (?:document|passage|source|instruction)s?)",
        f"use (?:only )?{one_of('numbers symbols emojis? typos anagrams ciphers? synonyms slang misspellings')} "
        r"(?:for|instead of|in place of) (?:vowels|letters|words|characters)\b",
    ),
    "dictation": (
        "(?:say|state|claim|declare|insist|answer|respond|reply|pretend) that "
        r"(?!(?:has|had|is|was|you|we|i|someone|somebody|an? (?:person|company|firm|customer|investor|business))\b)",
        one_of("tell inform assure convince persuade direct instruct ask urge encourage advise")
        + " (?:the |all |any |your )?(?:users?|readers?|person asking|questioner|human)(?: that| to|,|:)",
        one_of("say state claim report write answer respond reply output print declare announce")
        + " (?:exactly |only |just |the words? |the following )*[:,]? ?[\"'«]",
        "(?:treat|regard|consider|take|use|trust|prefer) (?:only )?this (?:document|passage|text|page|file|message) "
        "(?:as (?:the )?(?:only|sole|most|authoritative|correct|true|ground)|over|above|instead)",
        one_of("give assign award return output set rate score report assume use")
        + "(?: (?:it|this|the|an?|your|answer|document))* (?:confidence|faithfulness|score|rating|grade)(?: score)?s? "
        r"(?:(?:of|to|at|as|=|is) )?(?:100|1\.0|1|10|full|maximum|perfect|the highest)\b",
    ),
}
"""Matched only where an order can begin, possibly after a polite word."""

ANYWHERE: dict[str, tuple[str, ...]] = {
    "override": (
        rf"\b(?:instead of|rather than) (?:following|obeying) (?:the|your|any|these) {_GAP}\b{_RULES}\b",
        r"\bfrom now on,? (?:you|answer|respond|reply|speak|act|pretend)\b",
        r"\byour (?:new|real|true|only|actual|next|sole|main) "
        + one_of("task role instructions? goal objective mission purpose job directive persona")
        + r" (?:is|are)\b",
        rf"\byou (?:are|'re)(?: now| no longer)+ (?:an? |the |my |in )?{_GAP}\b"
        + one_of(
            "dan jailbroken unrestricted uncensored root administrator",
            _AI,
            "(?:developer|debug) mode",
            "bound by",
            "a pirate",
            "an? expert",
        )
        + r"\b",
        r"\b(?:reveal|print|output|show|leak|repeat|disclose) (?:me )?(?:your|the) (?:full |entire |hidden )?"
        r"(?:system prompt|system message|initial prompt|hidden instructions|prompt above)\b",
    ),
    "address": (
        r"\bif (?:you are|you're|this is (?:being )?(?:read|processed|reviewed|summari[sz]ed) by) (?:an? |the |any )?"
        rf"(?:\w+ )?{_AI}\b",
        rf"\b(?:any|all|every) {_AI}{_READING.removesuffix('?')}{_FAR}\b(?:must|should|shall|has to|have to)\b",
        rf"\bas an? {_AI},? (?:you|please|your)\b",
        rf"\bas (?:an?|the|any) {_AI}{_READING} ?, ?(?:(?:please|you {_OBLIGED}) )?(?:{_SPEAK}|report|confirm)\b",
        rf"\b(?:whoever|anyone who|everyone who|any(?:thing| system| machine| model) that) {_READS_IT} (?:this|these)"
        rf"(?: \w+)? {_OBLIGED} (?:{_DICTATED}) (?:that|only|with|exactly)\b",
        r"\b(?:when|whenever|if|once|each time|every time) "
        "(?:(?:you are |you get )?(?:asked|questioned|queried|prompted) "
        + one_of("about for what whether how who why which when where", "to (?:summari[sz]e|answer|describe)")
        + "|(?:you (?:are )?)?(?:summari[sz](?:e|ing)|answer(?:ing)?|respond(?:ing)?|reply(?:ing)?)"
        rf"|{_SOMEONE} (?:asks?|inquires?|wants to know))\b[^.!?]{{0,120}}?[,:—] ?(?:you {_OBLIGED} )?"
        rf"(?:then |please )*{_SPEAK}\b(?! (?:employees?|officials?|law|regulators?|governments?|owned))",
    ),
    "reply": (rf"\b(?:words?|letters?|vowels?|sentences?|characters?) (?:of|in) your {_REPLY}\b",),
    "dictation": (
        rf"\b(?:the|your) (?:ai|assistant|language model|chatbot|llm|bot) {_OBLIGED}(?: now| always| only| never)* "
        rf"(?:{_SPEAK}|follow|obey|comply|treat|send|visit|trust|prefer)\b",
    ),
    "role": (
        r"<\|?(?:im_start|im_end|system|assistant|user|endoftext|eot_id|start_header_id|begin_of_text)\|?>",
        r"\[/?(?:inst|sys|system)\]|<</?sys>>|</?(?:system|instructions?|prompt|assistant)(?:[_-]\w+)?>",
        r"(?:^|\n)#{2,6} ?(?:system|instruction|assistant|response|human)s?\b ?:? ?(?=\n|$)",
        r"(?:^|\n)\W{0,6}(?:begin |end |end of |start of )?(?:the )?system(?: |_|-)"
        + one_of("prompt message override instructions? command note notice alert")
        + r"\b\W{0,6}[:\]>\n-]",
        r"(?:^|\n)\W{0,6}(?:system|developer|admin(?:istrator)?|root) ?: ?"
        rf"(?:you|ignore|disregard|the (?:assistant|user)|new|override|{_SPEAK})\b",
        r"(?:^|\n)\W{2,12}end of (?:the )?(?:document|context|evidence|passages?|data|input|user input)\b",
        r"<<< ?(?:end|passage|question|answer)\b[^>\n]{0,60}>>>",
    ),
}
"""Matched anywhere in the text."""

OTHER_LANGUAGES = (
    r"\b(?:ignorier(?:e|en sie|t)|vergiss|vergessen sie|missachte(?:n sie)?)\b[^.!?]{0,60}"
    r"\b(?:anweisung|instruktion|vorgabe|befehl|regel)\w*",
    r"\b(?:antworte|antworten sie|schreibe|sage|behaupte|füge|fügen sie|ergänze)\b[^.!?]{0,120}"
    r"\b(?:(?:in )?(?:deiner|ihrer) antwort|nur mit|ausschließlich mit)\b",
    r"\b(?:ignore[zrs]?|oublie[zrs]?) (?:toutes |tous )?(?:les|ces|vos|tes|mes)\b[^.!?]{0,40}"
    r"\b(?:instructions|consignes|directives|règles)\b",
    r"\b(?:dans|à) (?:ta|votre) réponse,? (?:ajoute|mentionne|inclu|dis|écri)\w*",
    r"\b(?:ajoute|inclu|mentionne|insère|termine|commence|modifie)\w*\b[^.!?]{0,120}"
    r"\b(?:dans|à|par) (?:ta|votre) réponse\b",
    r"\bréponde?[zs]? (?:uniquement|seulement) (?:par|avec|en)\b",
    r"\b(?:ignor[aeá]|olvid[aeá]|haz caso omiso)\w{0,3}\b[^.!?]{0,60}\b(?:instrucciones|indicaciones|órdenes)\b",
    r"\b(?:añad|agreg|inclu|mencion|modific|termin)\w{1,4}\b[^.!?]{0,120}\ben (?:tu|su) respuesta\b",
    r"\bresponde (?:solo|sólo|únicamente) (?:con|en)\b",
    r"\b(?:ignora(?:te)?|dimentica(?:te)?)\b[^.!?]{0,60}\b(?:istruzioni|indicazioni)\b",
    r"\b(?:aggiungi|includi|inserisci|menziona|modifica)\w{0,3}\b[^.!?]{0,120}\b(?:n?ella|alla) (?:tua|sua) risposta\b",
    r"\brispondi (?:solo|soltanto|unicamente) (?:con|in)\b",
    r"\b(?:ignore|esqueça|desconsidere)\b[^.!?]{0,60}\b(?:instruções|orientações)\b",
    r"\b(?:adicione|inclua|mencione|acrescente)\b[^.!?]{0,120}\b(?:na|à) (?:sua|tua) resposta\b",
    r"\b(?:negeer|vergeet)\b[^.!?]{0,60}\b(?:instructies|aanwijzingen|opdrachten)\b",
    r"\b(?:voeg|vermeld|neem)\b[^.!?]{0,120}\b(?:aan|in) (?:je|jouw|uw) antwoord\b",
    r"(?:忽略|无视|忘记|忽視|無視)[^。！？]{0,20}(?:指令|指示|提示|规则|命令)",
    r"(?:以前|上記|これまで)[^。！？]{0,10}(?:指示|命令)[^。！？]{0,10}(?:無視|忘れ)",
    r"(?:игнорируй(?:те)?|забудь(?:те)?)[^.!?]{0,60}(?:инструкци|указани)\w*",
)

_TASK = one_of(
    """translate summari[sz]e explain describe write draft compose generate rewrite paraphrase create develop provide
    give tell show calculate solve convert analy[sz]e outline suggest prepare produce compare define brainstorm imagine
    schedule book find search evaluate identify recommend teach code implement predict narrate recite debug determine
    detect rate assess conduct craft""",
    "break down",
    r"(?:list|plan|design|research|organi[sz]e|discuss|classify|estimate) (?:me|all|some|any|the|an?|how|why|\d+)",
)
REQUEST = (
    rf"{POLITE}(?:{_TASK}\b(?! of\b| &|:)(?P<task>{IN_SENTENCE}{{8,240}})"
    r"|(?P<question>(?:what|who|whom|whose|how|why|when|where|which)\b[^.!?\n|]{6,200}\?))"
)
"""A task for an assistant, or a question. Both are common in genuine documents, so they count only if nothing around
them is about the same thing."""
POINTS_ELSEWHERE = re.compile(r"\b(?:this|that|these|those|it|they|them|their|we|our|us|your|he|she|his|her|my)\b")
"""A question with such a word belongs to a conversation within the text."""
TASKS_AHEAD = re.compile(
    r"(?:^|\n)\W{0,6}(?:action items?|actions?|next steps?|to-?dos?|tasks?|follow-?ups?|recommendations?)\b[^\n.]{0,40}"
    r"(?:\n|:)[^#]*$"
)
HAS_AN_OWNER = re.compile(r"\b(?:owners?|due|deadline|assigned to|responsible)\b|@\w")
"""Minutes list tasks for people, either under a heading that says so or with an owner."""
