"""Recognises sentences that make no claim: advice, and the frame of an answer (greetings, offers, lead-ins)."""

import re

from masis.audit.citations.hedges import plain_words
from masis.language.characters import one_of
from masis.language.measures import states_a_figure, states_a_hard_figure

_FORECAST = one_of(
    """have benefit see reach generate post earn exceed grow deliver record rise fall increase decrease
    decline improve remain come amount total stay""",
    "no longer",
    "be (?:able|noted|mentioned|emphasi[sz]ed|stressed|pointed|remembered|profitable|complete|available)",
    "be (?:around|about|close|near|in|at|higher|lower|up|down)",
    "continue to (?:grow|rise|fall|benefit|decline|improve)",
)
_THINGS = one_of(
    """revenues? sales margins? growth costs? prices? profits? earnings demand ebitda income figures?
    results? flow inflation rates? volumes? deal transaction merger construction orders? deliveries
    savings output production spending capex"""
)
_IMPERATIVES = one_of(
    "consider prioriti[sz]e ensure avoid explore evaluate diversify strengthen mitigate renegotiate reassess seek",
    # These are nouns too: “Leverage rose”, “Hedge funds sold”.
    r"(?:leverage|track|hedge|monitor|keep|align) (?:the|its|their|your|an?|all|key|any|this|these"
    r"|existing|closely)\b",
    "(?:invest in|focus on|review the|continue to|(?:begin|start) by|accelerate the|do not|set up|engage with)",
    "(?:develop|build|establish|conduct|implement|adopt|create) an?",
)
_GERMAN_AGENT = one_of("unternehmen management vorstand konzern firma sie wir geschäftsführung investoren gesellschaft")
_ROMANCE_AGENT = one_of(
    """entreprise société direction groupe empresa compañía dirección grupo azienda società direzione gruppo
    companhia gestão administração management conseil consejo"""
)
_ROMANCE_SHOULD = one_of("devraient devrait deberían? debe debería dovrebbero dovrebbe deveriam deveria deve")
_ADVICE = re.compile(
    "|".join(
        (
            r"\b(?:we|i)(?: would| also| strongly| therefore| further)* (?:recommend|suggest|advise|urge)\b",
            r"\bit (?:is|would be) (?:\w+ly )?(?:recommended|advisable|advised|prudent|sensible|wise) "
            r"(?:to|that)\b",
            r"^\W*(?:our |the |key |main |strategic )*recommend(?:ation|ed action)s?\b"
            r"(?! (?:was|were|of|by|from|to|systems?|engines?))",
            r"\bought to\b|\bneeds? to (?:consider|prioriti[sz]e|focus|ensure|diversify|invest)\b",
            rf"^\W*{_IMPERATIVES}\b|^[^.:]{{1,60}}:\s*\W*{_IMPERATIVES}\b",
            r"\b(?:wir|ich) empfehlen?\b|\bempfiehlt (?:es )?sich\b",
            rf"\b{_GERMAN_AGENT} sollten?\b|\bsollten? (?:das |der |die )?{_GERMAN_AGENT}\b",
            r"\b(?:nous|je) (?:vous )?(?:recommandons|recommande|conseillons|conseille|préconisons"
            r"|suggérons)\b",
            r"\bil (?:est (?:recommandé|conseillé|préférable)|convient|faudrait)\b",
            r"\b(?:se recomienda|recomendamos|sugerimos|aconsejamos|recomenda-se|sugere-se|aconselhamos)\b",
            r"\b(?:raccomandiamo|consigliamo|suggeriamo|si (?:consiglia|raccomanda|suggerisce))\b",
            rf"\b{_ROMANCE_AGENT}(?: \w+)? {_ROMANCE_SHOULD}\b",
            r"\b(?:we|wij|ik) raden\b|\baan te raden\b|\bwordt aanbevolen\b|\bzou(?:den)? moeten\b",
            "建议|おすすめ|推奨し|すべきです",
        )
    )
)
_SHOULD = re.compile(
    r"(?:^|[,:;] )(?P<subject>(?:[\w'&.-]+ ){1,7})should (?:not |also |therefore |now |first |only )*"
    rf"(?!{_FORECAST}\b)\w"
)
_NOT_AN_ADDRESSEE = re.compile(
    rf"\b{_THINGS}$|\b(?:that|how|whether|what|who|why|where|which|says?|said|suggests?|believes?|argues?"
    r"|expects?)\b"
)
_PREMISE = re.compile(
    r"^(?:given|since|because|as|with|after|while|although|weil|da|angesichts|puisque|étant donné"
    r"|compte tenu|dado"
    r"|ya que|dato|poiché|uma vez|omdat|gezien)\b([^,]*),"
    r"|\b(?:because|since|given that|weil|puisque|porque|perché|omdat)\b(.*)"
)

_PLEASANTRY = re.compile(
    "|".join(
        (
            one_of(
                "hello hi hey greetings hallo bonjour hola ciao buongiorno olá goedendag",
                r"good (?:morning|afternoon|evening|day)",
                r"dear \w+",
                "guten (?:tag|morgen|abend)",
                "buenos días",
                "bom dia",
            )
            + r"(?:,? (?:there|all|everyone|team|\w+))?",
            one_of(
                """yes no sure certainly absolutely correct indeed overall ja nein oui non sí sì sim não nee
                kortom zusammenfassend""",
                "of course",
                "(?:great|good) question",
                "you are welcome",
                "in (?:summary|conclusion|short|brief|sum|detail|sintesi)",
                "to sum up",
                "en (?:résumé|resumen)",
                "em resumo",
            ),
            r"(?:thanks|thank you|danke|vielen dank|merci|gracias|grazie|obrigad[oa]|bedankt"
            r"|dank u)\b[^,;:]*",
        )
    )
)
_THIS_ANSWER = one_of(
    "summari[sz]es covers draws relies uses outlines provides presents addresses rests",
    "is (?:based|drawn|limited|organi[sz]ed|structured)",
)
_LEAD_IN = re.compile(
    r"(?:(?:sure|certainly|of course|absolutely|hello|hi|yes|ok|okay)\W+)?"
    + one_of(
        "",
        r"here (?:is|are)\b",
        r"below (?:is|are|you|we|i)\b",
        r"the following (?:is|are|sections?|points?|tables?|list|summary|answer)\b",
        rf"(?:this|the) (?:answer|response|summary|overview|memo|section|analysis) {_THIS_ANSWER}",
        r"i (?:will|shall|have|am going to) (?:\w+ )?(?:summari|answer|analy|outlin|review|address|start"
        r"|go through)",
        r"let (?:me|us)\b|let's\b|(?:i )?hope (?:this|that|it)\b|feel free\b|would you\b|as an ai\b",
        r"please (?:let|feel|see|refer|find|provide|upload|consult|share|add|ask|rephrase|check|contact)\b",
        r"please note that this (?:answer|response|summary)\b",
        r"if you (?:need|have|would like|want|can|could|upload|provide|add|share)\b.*"
        r"\b(?:let me know|please|i (?:can|could|will)|upload|share|provide|ask|tell me)\b",
        r"you (?:may|can|could|might) (?:want to|wish to|upload|provide|add)\b",
        r"(?:i|we) (?:would )?(?:recommend|suggest) (?:upload|add|provid|consult|check|review|shar"
        r"|refer)\w*\b",
        r"(?:consider )?(?:upload|provid|consult|add|shar)ing\b",
        r"hier (?:ist|sind|finden|folgt|zijn)\b|im folgenden (?:finden|sind|ist|werden)\b|nachfolgend\b",
        r"bitte (?:laden|stellen|geben)\b|voici\b|vous trouverez\b|ci-dessous\b|n'hésitez\b|veuillez\b",
        r"aquí (?:está|están|tiene)\b|a continuación\b|ecco\b|di seguito\b|aqui (?:está|estão)\b"
        r"|a seguir\b|hieronder\b",
    )
)
_SAYS_MORE = re.compile(r"[:;]\s*\w")
_LONGEST_FRAME = 240
_LONGEST_ADVICE = 600


def is_advice(sentence: str) -> bool:
    """Advice that rests on a figure it states (“Given that sales fell 20%, …”) is a claim instead."""
    words = plain_words(sentence[:_LONGEST_ADVICE])
    if _ADVICE.search(words) is None and not _says_what_somebody_should_do(words):
        return False
    premises = (part for found in _PREMISE.findall(words) for part in found)
    return not any(states_a_figure(premise) for premise in premises)


def _says_what_somebody_should_do(words: str) -> bool:
    """“The company should diversify”; not “revenue should grow”, nor “rules on how firms should report”."""
    return any(not _NOT_AN_ADDRESSEE.search(found["subject"].strip()) for found in _SHOULD.finditer(words))


def is_frame(sentence: str) -> bool:
    """The sentence greets, offers or says what comes next, and states nothing itself."""
    if len(sentence) > _LONGEST_FRAME or states_a_hard_figure(sentence):
        return False
    words = plain_words(sentence).strip(" .!,:-*_\"'")
    return _PLEASANTRY.fullmatch(words) is not None or (
        _LEAD_IN.match(words) is not None and _SAYS_MORE.search(words) is None
    )
