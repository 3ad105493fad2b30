"""Stated limits in Swedish, Danish and Norwegian."""

EVIDENCE = (
    r"(?:dokument\w*|källor\w*|källan|kilder\w*|kilden|underlag\w*|rapport\w*|utdrag\w*|texten|teksten"
    r"|tekster\w*|passager\w*|materialet|beviserne|kontekst\w*)"
)
LIMITS = (
    rf"\b{EVIDENCE}\b (?:\w+ ){{0,3}}?(?:nämner|anger|innehåller|säger|beskriver|täcker|ger|behandlar"
    r"|redovisar|nævner|oplyser|indeholder|angiver|siger|nevner|oppgir|inneholder|sier|dekker|dækker"
    rf"|specificerar|specificerer|spesifiserer|omtaler|gir|giver) (?:\w+ ){{0,3}}?(?:inte|ikke|ingen|inga"
    r"|inget|intet|ingenting)\b",
    r"\b(?:framgår|fremgår|anges|nämns|nævnes|nevnes|oppgis|oplyses|specificeras|omtales|redovisas) "
    r"(?:\w+ )?(?:inte|ikke)\b",
    r"\b(?:ingen|inga|ingen) (?:\w+ )?(?:information|uppgifter|oplysninger|opplysninger|informasjon|data"
    r"|omnämnande)\b",
    r"\b(?:jag|jeg|vi) (?:hittade|hittar|kunde|kan|fant|fandt|finner) (?:\w+ )?(?:inte|ikke|ingen|inga)\b"
    r"|\b(?:går|er) (?:det )?(?:inte|ikke) (?:mulig\w* )?(?:att|at|å) (?:avgöra|fastställa|afgøre|fastslå"
    r"|avgjøre)",
)
