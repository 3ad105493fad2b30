"""Stated limits in German."""

from masis.language.characters import GAP

EVIDENCE = (
    r"(?:dokument\w*|unterlagen?|quellen?|belegen?|belege|auszüge?n?|textstellen?|passagen?|text(?:en?"
    r"|s)?|kontext(?:es)?|bericht(?:en?|e?s)?|evidenz|material(?:ien)?|dateien?|vorliegenden "
    r"(?:informationen|daten|angaben)|bereitgestellten (?:informationen|daten))"
)
_INFO = r"(?:informationen?|angaben?|daten|hinweise?|belege?|aussagen?|zahlen|details?|erwähnung|antwort)"
_SAID = (
    r"(?:angegeben|genannt|erwähnt|erläutert|beschrieben|behandelt|spezifiziert|offengelegt|aufgeführt"
    r"|beziffert|enthalten|thematisiert|erklärt|ersichtlich|dokumentiert|abgedeckt|ausgewiesen"
    r"|beantwortet|belegt|zu entnehmen|zu finden)"
)
LIMITS = (
    rf"\b{EVIDENCE}\b{GAP}\b(?:kein\w*|nicht\w*|weder)\b{GAP}(?:{_INFO}|{_SAID}|hervor|nennen|erwähnen"
    r"|angeben|sagen|an\b|auf\b|ein\b|aus\b|dazu|darüber|ob\b|wie\b|warum\b|welche)",
    rf"\b{EVIDENCE}\b (?:\w+ )?(?:nennt|nennen|erwähnt|erwähnen|enthält|enthalten|sagt|sagen|geben|gibt"
    r"|machen"
    r"|macht|liefern|liefert|behandeln|behandelt|erläutern|erläutert|beziffern|beziffert|belegen|belegt"
    rf"|decken|deckt|beschreiben|beschreibt|beantworten|beantwortet|spezifizieren|spezifiziert)\b{GAP}\b"
    r"(?:kein\w*|nicht\w*)\b",
    rf"\b(?:aus|in|anhand) (?:den|der|dem|diesen|dieser) (?:\w+ ){{0,2}}{EVIDENCE}\b{GAP}\b(?:kein\w*"
    r"|nicht\w*)\b",
    rf"\b(?:finden sich|findet sich|gibt es|es gibt|es finden sich) (?:\w+ ){{0,4}}?kein\w* "
    rf"(?:\w+ )?{_INFO}",
    rf"\b{_INFO}\b{GAP}\bfehl(?:en|t)\b",
    rf"\bkeine? (?:\w+ ){{0,2}}{_INFO}\b{GAP}\b(?:{EVIDENCE}|gefunden|verfügbar|vorhanden|enthalten|vor"
    r"|entnehmen|angegeben|gemacht|verfügung)\b",
    rf"^\W*(?:es (?:gibt|liegen|finden sich)|keine) (?:\w+ ){{0,2}}(?:keine? )?(?:\w+ )?{_INFO} (?:zu"
    r"|zur|zum|über|für|vor|darüber|dazu)\b",
    rf"\b(?:wird|werden|ist|sind|wurde|wurden) (?:\w+ ){{0,6}}nicht (?:\w+ )?{_SAID}\b(?! (?:von|durch))",
    r"\b(?:lässt|lassen) sich (?:\w+ ){0,10}nicht (?:\w+ )?(?:bestimmen|ermitteln|ableiten|beantworten"
    r"|feststellen|sagen|entnehmen|beurteilen|berechnen|belegen|prüfen)",
    r"\b(?:kann|können|konnten?) (?:\w+ ){0,10}(?:nichts?|keine?) (?:\w+ ){0,4}?(?:bestimmt"
    r"|ermittelt|beantwortet|gefunden|abgeleitet|festgestellt|entnommen|gefunden werden|finden|ermitteln"
    r"|beantworten)\b",
    r"\b(?:bleibt|ist|sind) (?:\w+ )?(?:unklar|offen|unbekannt|unzureichend)\b",
    rf"\b{EVIDENCE}\b (?:reichen|reicht|genügen|genügt|schweigen|schweigt)\b",
)
