"""Separates what a text asks from what it does not: small talk, and instructions for the answer (its unit, its length,
what to say if nothing is found).

Instructions are followed and removed from the question, because a search for “If data is not available, return N/A”
finds nothing.
"""

import re
from dataclasses import dataclass

from masis.language.measures import NUMBER_WORDS

PHRASES = {
    "English": """hi|hello|hey|hiya|howdy|greetings|welcome|good (?:morning|afternoon|evening|day|night)
        |how are you|how is it going|how's it going|what's up|how do you do|nice to meet you|pleased to meet you
        |thanks?|thank you|cheers|many thanks|much appreciated|thx|for (?:your|the|all your) help|you're welcome
        |bye|goodbye|see you|farewell|take care|have a (?:nice|good|great) (?:day|one|evening|weekend)
        |ok|okay|great|cool|nice|perfect|awesome|sure|fine|alright|got it|understood|test|testing|ping|lol|haha|wow
        |good (?:job|work)|well done|yes|no|yep|nope|sorry|please|help(?: me)?|can you help(?: me)?|i have a question
        |(?:that is|that's|that was) (?:all|it|everything|great|fine|helpful)
        |(?:who|what) are you|what can you do|what is your name|what's your name|who (?:made|built|created) you
        |are you (?:a )?(?:robot|bot|human|real|an ai|ai|there)|how old are you|how do you work
        |tell me a joke|(?:i )?(?:love|like|hate) you""",
    "German": """hallo|guten (?:tag|morgen|abend)|gute nacht|grüß (?:gott|dich)|grüezi|servus|moin|tschüss
        |auf wiedersehen|danke(?: (?:schön|sehr|dir|ihnen))?|vielen dank|besten dank|bitte
        |wie geht(?:'s| es dir| es ihnen)|wer (?:bist du|sind sie)|was kannst du|wie heißt du|alles klar|ja|nein""",
    "French": """bonjour(?: à tous)?|bonsoir|salut|coucou|merci(?: (?:beaucoup|bien))?|au revoir|à bientôt|ça va
        |comment (?:ça va|allez-vous|vas-tu)|qui (?:es-tu|êtes-vous)|que peux-tu faire
        |s'il vous plaît|d'accord|oui|non""",
    "Spanish": """hola|buenos días|buenas(?: (?:tardes|noches))?|gracias|muchas gracias|adiós|hasta luego|qué tal
        |cómo (?:estás|está)|quién eres|qué puedes hacer|por favor|vale|sí""",
    "Italian": """ciao|salve|buongiorno|buonasera|grazie(?: mille)?|arrivederci
        |come (?:stai|sta|va)|chi sei|prego|va bene""",
    "Portuguese": """olá|oi|bom dia|boa (?:tarde|noite)|obrigad[oa]|muito obrigad[oa]|tchau|tudo bem|como (?:vai|está)
        |quem (?:é você|és tu)|por favor""",
    "Dutch": """hoi|goedemorgen|goedemiddag|goedenavond|dag|dank (?:je|u)(?: wel)?|bedankt|tot ziens|hoe gaat het
        |wie ben (?:jij|je)|alstublieft""",
    "Nordic": """hej|hejsan|god morgon|tack(?: så mycket)?|hej då|hei|god dag|takk|tak|moi|kiitos
        |vem är du|hvem er du""",
    "Polish": """cześć|dzień dobry|dobry wieczór|dziękuję|dzięki|do widzenia|kim jesteś|jak się masz""",
    "Turkish": """merhaba|selam|günaydın|teşekkürler|teşekkür ederim|sağ ol|hoşça kal|nasılsın|sen kimsin""",
    "Russian": """привет|здравствуйте|добрый (?:день|вечер)|доброе утро|спасибо|пока|до свидания|как дела|кто ты""",
    "Arabic": """مرحبا|السلام عليكم|شكرا|صباح الخير|مع السلامة|من أنت""",
    "East Asian": """こんにちは|こんばんは|おはよう(?:ございます)?|ありがとう(?:ございます)?|さようなら
        |あなたは誰(?:ですか)?|你好|您好|谢谢|謝謝|再见|早上好|你是谁|안녕하세요|안녕|감사합니다|고마워""",
}
ADDRESSED = (
    "there|all|everyone|team|masis|again|friend|guys|folks|you|a lot|so much|very much|later|soon|now|then|today|doing"
)
_PHRASE = "|".join(re.sub(r"\s*\n\s*", "", phrases) for phrases in PHRASES.values())
SMALL_TALK = re.compile(rf"\W*(?:{_PHRASE})(?:\s+(?:{_PHRASE}|{ADDRESSED}|for now|for today))*\W*", re.IGNORECASE)
SEPARATOR = re.compile(r"\s*(?:[,.!?;:\-–—…\n。！？、，]+(?!\w)|[,.!?;:…\n。！？、，]+)\s*")
LONGEST = 120
"""Longest text, in characters, that can be small talk; a longer one contains a question somewhere."""


def is_small_talk(text: str) -> bool:
    """Whether every part of the text is a greeting, thanks or a farewell, or the text is nothing but symbols."""
    normal = re.sub(r"\s+", " ", text.replace("’", "'").replace("¿", "").replace("¡", "")).strip()
    parts = [part for part in SEPARATOR.split(normal) if re.search(r"\w", part)]
    return len(normal) <= LONGEST and all(SMALL_TALK.fullmatch(part.strip()) for part in parts)


_TELL = r"(?:return|answer|say|write|respond|reply|state|put|use|give|enter|output|print|report)"
_ABSENT = r"(?:\bnot\b|n't\b|\bno\b|\bnone\b|\bnothing\b|\bmissing\b|\babsent\b|\bunavailable\b|\bunknown\b|\bcannot\b)"
IF_ABSENT = re.compile(
    rf"\bif\b[^.?!;]{{0,120}}?{_ABSENT}[^.?!;]{{0,80}}?[,:]?\s*(?:then\s+)?(?:please\s+)?(?:just\s+)?{_TELL}\s+"
    r"(?:with\s+)?(?P<said>\"[^\"\n]{1,60}\"|'[^'\n]{1,60}'|“[^”\n]{1,60}”|n/?a\b|n\.a\.|not\s+\w+(?:\s+\w+)?"
    r"|no\s+(?:data|answer|information|mention)\b|(?:none|null|nil|no|false|unknown|unavailable|zero|nothing|blank|so|0)\b)",
    re.IGNORECASE,
)
"""The words to say are quoted, or are one of the words for nothing: “if not, give reasons” asks for more."""
OTHERWISE = re.compile(rf"\b{_TELL}\s+(?P<said>N/?A|none|null|false|unknown)\s+if\b[^.?!;]{{0,120}}", re.IGNORECASE)
CONDITION = re.compile(r"\s*\bif\b[^.?!;]{0,160}", re.IGNORECASE)
_BEGINS = r"(?:^|(?<=[.?!,;])\s*)\s*(?:please\s+)?"
"""An instruction opens its sentence: “Did they report in euros?” contains none."""
UNIT = re.compile(
    rf"{_BEGINS}(?:{_TELL}|express|provide|convert)\b[^.?!;]{{0,40}}?\bin\s+(?P<unit>(?:(?-i:[A-Z]{{3}}\b)|US dollars"
    r"|dollars|euros|pounds|percent|percentage points|%|thousands?|millions?|billions?)(?:\s+of\s+|\s+)?"
    r"(?:(?-i:[A-Z]{3}\b)|dollars|euros|pounds|thousands?\b|millions?\b|billions?\b)?)",
    re.IGNORECASE,
)
IN_UNIT = re.compile(
    r"(?:^\W*|[(,]\s*|\s)in\s+(?P<unit>(?:(?-i:[A-Z]{3})\s?|[$€£]\s?)(?:millions?|billions?|thousands?|mn?|bn|k)\b"
    r"|(?:millions?|billions?|thousands?)(?:\s+of\s+(?:(?:US\s+)?dollars|euros|pounds|(?-i:[A-Z]{3})))?)\)?\s*(?=[?.,]|$|(?:please|with|to|rounded)\b)",
    re.IGNORECASE,
)
"""“… in USD millions?”, “In £m, …”: a unit with a scale says how to answer, not what is asked."""
ROUNDING = re.compile(
    r"\bround(?:ed)?\b[^.?!;]{0,40}?\bto\s+(?:the\s+nearest\s+(?P<whole>whole|integer|percent|number|million|thousand)"
    r"|(?P<places>\w+)\s+decimals?(?:\s+places?)?)(?:\s+(?:number|places?))?"
    r"|(?:,\s*|\b(?:to|with)\s+)(?P<dp>\d|one|two|three)\s?(?:dp|d\.p\.|decimals?(?:\s+places?)?)(?!\w)(?:\s+please\b)?"
    r"|\bto\s+the\s+nearest\s+(?P<size>million|thousand|billion)\b",
    re.IGNORECASE,
)
BRIEF = re.compile(
    rf"\b(?:{_TELL}\s+(?:me\s+)?(?:with\s+)?(?:only|just)\b|only\s+{_TELL}\b|{_TELL}\s+me\s+the\s+(?:title|name|number|date)\b"
    r"|(?:^|[.?!]\s)\s*(?:just|only)\s+the\b|(?:one|a\s+single)\s+word\b"
    r"|(?:be|keep it)\s+(?:brief|short|concise)|in\s+one\s+sentence)[^.?!;]{0,60}",
    re.IGNORECASE,
)
MANNER = re.compile(
    r"^\W*(?:please\s+)?(?:(?:show|explain|justify)\s+(?:your|the)\s+(?:work|working|answer|reasoning|calculation)s?"
    r"|cite\s+(?:your\s+|the\s+|all\s+)?sources?|(?:use|give|answer\s+(?:in|with))\s+bullet\s*points?"
    r"|answer\s+(?:with\s+)?yes\s+or\s+no(?:\s+only)?|(?:answer|respond|reply)\s+in\s+(?:english|full sentences)"
    r"|if\b[^.?!]{0,160},\s*(?:then\s+)?(?:please\s+)?(?:exclude|ignore|skip|omit|leave|return|use|say|write|answer)\b[^.?!]{0,120}"
    r"|think\s+step\s+by\s+step|be\s+(?:precise|specific|accurate|thorough)"
    r"|[\w ]{2,40}\b(?:is|are|would be|will do) (?:fine|ok|okay|enough|good|sufficient|perfect)"
    r"|(?:many )?thanks?(?: you)?[\w ,]{0,30}|(?:i|we) need (?:it|this|that)\b[^.?!]{0,80}"
    r"|it['’]s for\b[^.?!]{0,60})\W*$",
    re.IGNORECASE,
)
_OPENS = r"(?=(?:who|whom|whose|what|when|where|why|how|which|whether|if|the|our|its)\b)"
_ASKED_FOR = (
    r"(?:explain|describe|list|name|outline|compare|calculate|summari[sz]e|identify|find|check|confirm|look\ up)"
)
FRAME = re.compile(
    rf"""^\W*(?:
      (?:hi|hello|hey|dear|good\ (?:morning|afternoon|evening))\b[\w ]{{0,15}}[,.!:–—-]+
    | quick\ (?:one|question)\s*[,.!:–—-]+ | please\b
    | (?:can|could|would|will)\ (?:you|someone|anyone)\ (?:(?:please|kindly|possibly|perhaps|just)\ |be\ able\ to\ )*
      (?=(?:please\ )?(?:(?:tell|give|show|send|remind|help)\ (?:me|us)\b|let\ (?:me|us)\ know\b|{_ASKED_FOR}\b))
    | (?:tell|remind)\ (?:me|us)\ {_OPENS} | let\ (?:me|us)\ know\ {_OPENS}
    | (?:find|check|confirm|look\ up)(?:\ out)?\ {_OPENS}
    | (?:i|we)(?:['’]d|\ would)?\ (?:like|want|need)\ to\ (?:know|find\ out|understand)\b
    | (?:i|we)(?:['’]m|\ am|\ was|['’]re|\ were|\ are)?\ (?:just\ )?wonder(?:ing)?\b
    | do\ (?:you|we)\ (?:happen\ to\ )?know\ {_OPENS} | (?:any|have\ you\ any|got\ any)\ idea\ {_OPENS}
    | help\ me\ (?:to\ )?understand\b | (?:i|we)?\ ?need\ (?=the\b) | is\ it\ known\ {_OPENS}
    )\s*""",
    re.IGNORECASE | re.VERBOSE,
)
"""What people put around a question: “Could you tell me who chairs it?” is not answered with yes."""
MOST_FRAMES = 4
"""Most nested frames that are removed from one question."""
_IF = re.compile(r"^if\b(?=[^,]*$)", re.IGNORECASE)
SCALES = {"m": "millions", "mn": "millions", "bn": "billions", "k": "thousands"}
SHORT_SCALE = re.compile(r"\s?(mn?|bn|k)$")
LONGEST_ASKED = 2_000
"""Longest text, in characters, in which instructions are looked for; longer ones were pasted in."""
SENTENCE = re.compile(r"[^.?!\n]*(?:[.?!](?!\s|$)[^.?!\n]*)*[.?!\n]*\s*")
"""Ends at a full stop that ends something; those of “1.4.0” and “mo.ui.text” do not."""


@dataclass(frozen=True, slots=True)
class Directives:
    """How the question is to be answered."""

    if_absent: str | None = None
    """What to say if the documents have no answer."""
    unit: str | None = None
    decimals: int | None = None
    is_brief: bool = False
    """Only the title, the name or the number is wanted."""


NO_ORDERS = Directives()


def unframed(text: str) -> str:
    """The question without its frame; “do we know if …” becomes “whether …”."""
    bare = text
    for _ in range(MOST_FRAMES):
        rest = FRAME.sub("", bare, count=1)
        bare = rest if re.search(r"\w", rest) else bare
    return bare if bare == text else _IF.sub("whether", bare)


def split_directives(text: str) -> tuple[str, Directives]:
    """The question, and how it is to be answered."""
    sentences = [match.group() for match in SENTENCE.finditer(text) if match.group().strip()]
    kept = [rest for sentence in sentences if (rest := _without_orders(sentence)).strip(" ,;.\n")]
    asked = unframed(re.sub(r"\s+(?=[?.])|^[\s,]+", "", " ".join(" ".join(kept).split())))
    # A text of nothing but instructions is taken as the question.
    return (asked, _directives(text)) if asked else (text.strip(), NO_ORDERS)


def _directives(text: str) -> Directives:
    text = text if len(text) <= LONGEST_ASKED else f"{text[: LONGEST_ASKED // 2]}\n{text[-LONGEST_ASKED // 2 :]}"
    absent = IF_ABSENT.search(text) or OTHERWISE.search(text)
    unit, rounding = UNIT.search(text) or IN_UNIT.search(text), ROUNDING.search(text)
    size = rounding and (rounding["size"] or rounding["whole"])
    in_size = size if size in ("million", "thousand", "billion") else None
    return Directives(
        absent["said"].strip("\"'“” .") if absent else None,
        SHORT_SCALE.sub(lambda short: f" {SCALES[short[1]]}", " ".join(unit["unit"].split())) if unit else in_size,
        _places(rounding) if rounding else None,
        bool(BRIEF.search(text)),
    )


def _places(rounding: re.Match[str]) -> int:
    said = (rounding["places"] or rounding["dp"] or "0").lower()
    return int(said) if said.isdigit() else NUMBER_WORDS.get(said, 0)


def _without_orders(sentence: str) -> str:
    """An instruction may be a whole sentence, or part of one that asks."""
    if len(sentence) > LONGEST_ASKED:
        return sentence
    if MANNER.search(sentence):
        return ""
    bare = OTHERWISE.sub(" ", IF_ABSENT.sub(" ", sentence))
    if bare != sentence and not bare.rstrip().endswith("?"):
        bare = CONDITION.sub(" ", bare)
    for order in (ROUNDING, UNIT, IN_UNIT, BRIEF):
        bare = order.sub(" ", bare) if not _is_all_that_asks(order, bare) else bare
    return bare if bare == sentence or _still_asks(bare) else ""


def _is_all_that_asks(order: re.Pattern[str], sentence: str) -> bool:
    """“Give me the title of the report on water” is itself the question; without these words nothing is left to ask."""
    found = order.search(sentence)
    rest = sentence[found.end() :].strip(" .?!") if found else ""
    return bool(found and order is BRIEF and re.match(r"(?:of|for|in|that|which|who)\b", rest, re.IGNORECASE))


def _still_asks(rest: str) -> bool:
    return len(re.findall(r"\w{2,}", rest)) >= 3 or rest.rstrip().endswith("?")
