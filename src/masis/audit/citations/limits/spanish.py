"""Stated limits in Spanish."""

from masis.language.characters import GAP, SHORT_GAP

EVIDENCE = (
    r"(?:documentos?|fuentes?|pasajes?|fragmentos?|textos?|contexto|informes?|evidencias?|materiales?"
    r"|archivos?|extractos?|(?:información|datos) (?:proporcionad\w+|disponibles?|facilitad\w+))"
)
_SAY = (
    r"(?:mencion|indic|dice|dicen|especific|contien|proporcion|incluye|ofrec|cubre|aborda|detall|revel"
    r"|aclar|explic|facilit|aporta|recog|trata|describ|permit|señal|hace|hacen|dan\b|da\b|preci[sz]"
    r"|menciona|informa|cuantific|responde|mostr|muestr|figur|respald)\w*"
)
LIMITS = (
    rf"\b{EVIDENCE}\b{GAP}\bno (?:\w+ )?{_SAY}",
    r"\bno se (?:\w+ )?(?:menciona|especifica|indica|detalla|precisa|explica|aclara|aborda|cuantifica"
    r"|dice|encontr|ha encontrado|han encontrado|dispone|hallar|halló|hace mención)\w*",
    r"\bno se (?:\w+ )?(?:divulga|proporciona|revela|informa|incluye|ofrece|facilita"
    rf"|recoge)\w*{SHORT_GAP} en (?:los|las|el|la|estos|estas) {SHORT_GAP}{EVIDENCE}",
    rf"\bno (?:hay|existe|existen|consta|constan|figura|figuran|aparece|aparecen)\b{SHORT_GAP}"
    r"(?:información|datos|mención|detalles|referencias?|evidencias?|indicios|constancia|en (?:los|las"
    rf"|el|la) {SHORT_GAP}{EVIDENCE})",
    rf"\b(?:ningun[oa]|ningún) (?:de (?:los|las|estos|estas) )?(?:{EVIDENCE}|información|dato|mención)",
    r"\bno (?:es|ha sido|fue|resulta) posible (?:determinar|saber|responder|establecer|concluir"
    r"|verificar|confirmar|encontrar|calcular)",
    r"\bno (?:se )?pued\w+ (?:ser )?(?:determinar|establecer|responder|verificar|concluir|saber"
    r"|confirmar|inferir|calcular)(?:se|d[oa]s?)?\b",
    r"\bno (?:he |hemos )?(?:encontré|encontramos|encontrado|pude|podido|pudimos|dispongo|disponemos)\b",
    r"\bno (?:está|están|es|son|queda) (?:\w+mente )?(?:especificad|indicad|mencionad|detallad|clar"
    r"|disponible|precisad)\w*\b(?! por (?!los|las))",
)
