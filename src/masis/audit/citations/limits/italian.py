"""Stated limits in Italian."""

from masis.language.characters import GAP, SHORT_GAP

EVIDENCE = (
    r"(?:documenti|documento|fonti|fonte|passaggi|brani|estratti|test[oi]|contesto|rapporti|rapporto"
    r"|relazion[ei]|prove|material[ei]|file|(?:informazioni|dati) (?:fornit\w|disponibili))"
)
_SAY = (
    r"(?:menzion|indic|specific|conten|contien|fornis|riport|precis|dic|tratt|copr|affront|rivel|spieg"
    r"|chiaris|descriv|dettagli|includ|offr|permett|consent|quantific|fann|fa\b|cit|rispond|comprend)\w*"
)
LIMITS = (
    rf"\b{EVIDENCE}\b{GAP}\bnon (?:\w+ )?{_SAY}",
    r"\bnon (?:è|sono|è stato|è stata|viene|vengono|risulta|risultano) (?:\w+mente )?(?:specificat"
    r"|indicat|menzionat|precisat|riportat|dettagliat|chiar|quantificat|trattat)\w*\b(?! da(?:l|lla"
    rf"|ll')? (?!{EVIDENCE}))",
    rf"\bnon (?:è|sono|viene|vengono|risulta)\b{SHORT_GAP} (?:nei|nelle|dai|dalle|nel|nella"
    rf"|dal) {SHORT_GAP}{EVIDENCE}",
    r"\bnon (?:ci sono|vi sono|esistono|c'è|vi è|è presente|sono presenti"
    rf"|sono disponibili)\b{SHORT_GAP}(?:informazion|dat[io]|menzion|dettagli|riferiment|indicazion"
    r"|elementi)",
    rf"\bnessun[ao']? ?(?:delle |dei |degli )?(?:informazion|dat[io]|menzion|indicazion|dettagli|{EVIDENCE})",
    r"\bnon (?:è|è stato) possibile (?:determinare|stabilire|rispondere|dire|concludere|verificare"
    r"|trovare|sapere|confermare|calcolare)",
    r"\bnon (?:ho|abbiamo) (?:trovato|potuto|rinvenuto|informazioni)\b|\bnon si (?:evince|evincono|può "
    r"(?:determinare|stabilire|dire|concludere)|desume|desumono|dice|specifica|menziona|indica)\b",
    r"\bnon può essere (?:determinat|stabilit|verificat|conclus|confermat|calcolat)\w\b",
)
