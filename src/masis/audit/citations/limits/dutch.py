"""Stated limits in Dutch."""

from masis.language.characters import GAP, SHORT_GAP

EVIDENCE = (
    r"(?:documenten|document|bronnen|bron|passages?|fragmenten|fragment|teksten|tekst|context|rapporten"
    r"|rapport|bewijs(?:materiaal)?|stukken|materiaal|bestanden|(?:verstrekte|beschikbare) (?:informatie"
    r"|gegevens))"
)
_SAY = (
    r"(?:vermeld|noem|gev|geef|bevat|zeg|verstrek|behandel|beschrijv|specificer|specificeer|besprek"
    r"|bespreek|dekk|dekt|onthul|verklar|verklaar|toelicht|ga|gaan|gaat|biedt|bieden|mak|maken|maakt"
    r"|staat|staan|meld)\w*"
)
_SAID = (
    r"(?:vermeld|genoemd|gespecificeerd|aangegeven|beschreven|besproken|toegelicht|gegeven|behandeld"
    r"|gekwantificeerd|opgenomen|duidelijk)"
)
LIMITS = (
    rf"\b{EVIDENCE}\b (?:\w+ ){{0,3}}?{_SAY}\b{GAP}\b(?:niet|geen|niets|nergens)\b",
    rf"\b(?:geen|onvoldoende) (?:\w+ ){{0,2}}(?:informatie|gegevens|vermelding|details|bewijs"
    rf"|aanwijzing\w*)\b{GAP}\b(?:gevonden|beschikbaar|aanwezig|verstrekt|vermeld|opgenomen|over|voor|om"
    r"|te vinden)\b",
    rf"\b(?:wordt|worden|is|zijn|werd|werden) (?:\w+ ){{0,6}}niet (?:\w+ )?{_SAID}\b(?! door (?!de "
    r"(?:bron|doc)))",
    r"\bkan (?:\w+ ){0,8}niet (?:\w+ )?(?:worden )?(?:bepaald|vastgesteld|beantwoord|afgeleid"
    r"|geverifieerd|geconcludeerd|gezegd)\b",
    rf"\b(?:ik|we|wij) (?:kon|kan|konden|kunnen|heb|hebben) (?:\w+ ){{0,6}}(?:geen|niet)\b{GAP}(?:vinden"
    r"|gevonden|bepalen|vaststellen|beantwoorden)\b",
    rf"\b(?:blijkt|staat|staan|komt|volgt) (?:\w+ ){{0,4}}niet (?:\w+ )?(?:uit|in|voor in) (?:de|het"
    rf"|deze) (?:\w+ ){{0,2}}{EVIDENCE}",
    rf"\bgeen (?:enkel\w* )?(?:van (?:de|deze) )?{EVIDENCE}\b",
    rf"\b(?:informatie|gegevens|details|cijfers)\b{GAP}\bontbre(?:ekt|ken)\b|\b{EVIDENCE}\b{SHORT_GAP}\b"
    r"(?:blijkt|volgt|staat) (?:niet|niets)\b",
    r"\ber (?:is|zijn|wordt|worden) (?:\w+ )?(?:geen|onvoldoende) (?:\w+ )?(?:informatie|gegevens"
    r"|vermelding|melding)",
)
