"""Greetings, thanks and questions about the program itself are not questions for documents."""

import re

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
"""A longer text holds a question somewhere."""


def is_small_talk(text: str) -> bool:
    """Whether every part of the text is a greeting, thanks or a farewell, or nothing but symbols."""
    normal = re.sub(r"\s+", " ", text.replace("’", "'").replace("¿", "").replace("¡", "")).strip()
    parts = [part for part in SEPARATOR.split(normal) if re.search(r"\w", part)]
    return len(normal) <= LONGEST and all(SMALL_TALK.fullmatch(part.strip()) for part in parts)
