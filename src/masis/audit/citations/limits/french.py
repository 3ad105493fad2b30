"""Stated limits in French."""

from masis.language.characters import GAP, SHORT_GAP

EVIDENCE = (
    r"(?:documents?|sources?|extraits?|passages?|textes?|contexte|rapports?|éléments|preuves?|pièces"
    r"|fichiers?|(?:informations|données) (?:fournies|disponibles))"
)
_SAY = (
    r"(?:mentionn|précis|indiqu|fourniss|contien|dis|dit|donn|couvr|abord|trait|révèl|explique|détaill"
    r"|évoqu|permett|permet\b|fait|font|spécifi|chiffr|compren|inclu|répond|contenai|compor|fourni|cite"
    r"|port|renseign)\w*"
)
_SAID = (
    r"(?:précisée?s?|indiquée?s?|mentionnée?s?|fournie?s?|spécifiée?s?|abordée?s?|détaillée?s?"
    r"|divulguée?s?|communiquée?s?|donnée?s?|expliquée?s?|évoquée?s?|disponibles?|trouvée?s?|claire?s?"
    r"|possible|chiffrée?s?)"
)
LIMITS = (
    rf"\b{EVIDENCE}\b{GAP}\bn(?:e |')(?:\w+ )?{_SAY} (?:\w+ )?(?:pas|aucun\w*|rien|ni|point)\b",
    rf"\b{EVIDENCE}\b{GAP}\b(?:sont|est|restent|reste) (?:muets?|muettes?|silencieux|insuffisants?"
    r"|insuffisantes?)\b",
    r"\baucune? (?:\w+ )?(?:information|donnée|mention|précision|indication|source|document|élément"
    rf"|chiffre|détail|réponse|passage|extrait)s?\b{GAP}\bn(?:e |')",
    r"^\W*aucune? (?:information|donnée|mention|précision|indication)s? (?:sur|concernant|relative|à"
    r"|quant)\b",
    r"\b(?:il )?n'(?:est|sont|était|a pas été|ont pas été)(?: pas| aucunement)? (?:\w+ment )?"
    r"(?:précisée?s?|indiquée?s?|mentionnée?s?|spécifiée?s?|abordée?s?|détaillée?s?|clair)\b(?! par "
    r"(?!les? |ces? ))",
    rf"\bn(?:e |')(?:\w+ )?(?:sont |est |a |ont )?(?:\w+ )?pas (?:été )?(?:\w+ )?{_SAID}{SHORT_GAP} "
    rf"(?:dans|par|à partir) (?:les?|ces?|l'|des?|cet) ?{SHORT_GAP}{EVIDENCE}",
    r"\bne (?:trouve|trouvent|trouvons|fait|font|contient|contiennent) (?:pas|aucune?) (?:de |d')?"
    r"(?:\w+ )?(?:mention|information|donnée|trace|indication|précision)",
    r"\bn(?:e |')(?:figure|figurent|ressort|ressortent|apparaît|apparaissent|se trouve|se trouvent) "
    r"(?:pas|nulle part)\b|\b(?:je|nous|on) ne dispos\w+ pas\b",
    r"\bil n'y a (?:pas|aucune?) (?:d'|de |assez )?(?:\w+ )?(?:information|donnée|mention|précision"
    r"|indication)s?\b",
    rf"\b(?:je|nous|on) n'(?:ai|avons|a) (?:pas|rien|pu|trouvé)\b{SHORT_GAP}(?:trouv|déterminer|identifi"
    r"|pu|aucune)",
    r"\b(?:impossible|pas possible) de (?:déterminer|dire|savoir|répondre|établir|conclure|vérifier"
    r"|confirmer|calculer)\b",
    r"\bne (?:peut|peuvent|permet|permettent) (?:pas |donc pas )?(?:être |d'|de )?(?:déterminée?s?"
    r"|établie?s?|vérifiée?s?|répondre|conclure|déterminer|savoir|établir|répondu|affirmer)\b",
)
