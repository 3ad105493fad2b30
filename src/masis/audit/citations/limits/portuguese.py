"""Stated limits in Portuguese."""

from masis.language.characters import GAP, SHORT_GAP

EVIDENCE = (
    r"(?:documentos?|fontes?|trechos?|passagens|excertos?|textos?|contexto|relatórios?|evidências?"
    r"|materia(?:l|is)|arquivos?|ficheiros?|(?:informações|dados) (?:fornecid\w+|disponíveis))"
)
_SAY = (
    r"(?:mencion|indic|inform|especific|cont[êeé]m|conte|fornec|diz|traz|abrang|abord|revel|explic|detalh"
    r"|inclu|oferec|cobr|trat|apresent|esclarec|permit|quantific|faz|fazem|dão|dá\b|descrev|respond"
    r"|cit)\w*"
)
LIMITS = (
    rf"\b{EVIDENCE}\b{GAP}\bnão (?:\w+ )?{_SAY}",
    r"\bnão (?:há|existem?|constam?|figuram?|foram? (?:encontrad\w+|localizad\w+|possível)|aparecem?)\b"
    rf"(?:{SHORT_GAP}(?:informaç|dados|menção|detalhes|referências?|evidências?"
    rf"|n[oa]s? {SHORT_GAP}{EVIDENCE})|$|\W|{SHORT_GAP}(?:determinar|encontrar|responder))",
    rf"\bnenhuma? (?:das |dos )?(?:informação|dado|menção|detalhe|indicação|{EVIDENCE})",
    r"\bnão (?:é|está|são|estão|foi|foram) (?:\w+mente )?(?:mencionad|especificad|informad|indicad"
    r"|detalhad|clar|esclarecid|precisad)\w*\b(?! pel(?!os docu|as font))",
    r"\bnão (?:é|foi) possível (?:determinar|saber|responder|estabelecer|concluir|verificar|confirmar"
    r"|encontrar|calcular)",
    r"\bnão (?:se )?pod\w+ (?:ser )?(?:determinar|estabelecer|responder|verificar|concluir|saber"
    r"|confirmar|inferir|determinad\w|verificad\w)\b",
    r"\bnão (?:encontrei|encontramos|localizei|consegui|conseguimos|disponho|se menciona|se especifica"
    r"|se indica)\b",
)
