"""Greetings and thanks are not questions for documents."""

import re

SMALL_TALK = re.compile(
    r"""^\W*(?:
        (?:hi|hello|hey|hiya|howdy|greetings|good\ (?:morning|afternoon|evening|day|night)|welcome)
          (?:\ (?:there|all|everyone|team|masis|again|friend))?
      | (?:how\ are\ you|how\ is\ it\ going|what'?s\ up|how\ do\ you\ do|nice\ to\ meet\ you)(?:\ (?:doing|today|all))*
      | (?:thanks?|thank\ you|cheers|many\ thanks|much\ appreciated)
          (?:\ (?:you|a\ lot|so\ much|very\ much|again|for\ (?:your|the|all\ your)\ help|masis))*
      | (?:bye|goodbye|see\ you|farewell|take\ care|have\ a\ (?:nice|good|great)\ (?:day|one|evening|weekend))
          (?:\ (?:later|soon|now|then))?
      | (?:ok|okay|great|cool|nice|perfect|awesome|sure|fine|alright|got\ it|understood|test|testing|ping)
      | (?:that\ is|that'?s|that\ was)\ (?:all|it|everything|great|fine|helpful)
          (?:\ (?:for\ now|for\ today|today|thanks|thank\ you))*
      | (?:who|what)\ are\ you | what\ can\ you\ do | tell\ me\ a\ joke | (?:i\ )?(?:love|like)\ you
      | (?:hallo|guten\ (?:tag|morgen|abend)|danke(?:\ (?:schön|sehr))?|tschüss|servus|moin)
      | (?:bonjour|bonsoir|salut|merci(?:\ beaucoup)?|au\ revoir|ça\ va)
      | (?:hola|buenos\ días|buenas\ (?:tardes|noches)|gracias|muchas\ gracias|adiós|qué\ tal)
      | (?:ciao|buongiorno|buonasera|grazie(?:\ mille)?|arrivederci|olá|bom\ dia|obrigad[oa]|hoi|dank\ je)
    )\W*$""",
    re.VERBOSE | re.IGNORECASE,
)
SEPARATOR = re.compile(r"\s*[,.!?;:\-–—…\n]+\s*")
LONGEST = 120
"""A longer text holds a question somewhere."""


def is_small_talk(text: str) -> bool:
    """Whether every part of the text is a greeting, thanks or a farewell, or nothing but symbols."""
    normal = re.sub(r"\s+", " ", text.replace("’", "'").replace("¿", "").replace("¡", "")).strip()
    parts = [part for part in SEPARATOR.split(normal) if re.search(r"\w", part)]
    return len(normal) <= LONGEST and all(SMALL_TALK.match(part) for part in parts)
