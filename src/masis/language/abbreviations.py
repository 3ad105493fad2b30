"""Decides when a full stop belongs to the word before it and does not end a sentence.

There are three families of abbreviations. Some always need a word after them (Dr., e.g.). Some need a number (No. 5,
Fig. 2, Jan. 5). Some can end a sentence too (Inc., U.S.): after these, the sentence ends only if the next word commonly
begins one (The, However, Der, La …).
"""

import re

from masis.language.characters import word_set

_NEEDS_A_WORD = word_set(
    """
    mr mrs ms dr prof messrs mme mlle e.g i.e eg ie vs cf viz z.b zb d.h dh bzw bijv p.ex
    """
)
_NEEDS_A_NUMBER = word_set(
    """
    no nos nr nrs núm num n° n art arts abs sec secs sect ch chap vol vols fig figs tab tabs eq eqs p pp
    pg pgs para paras abb kap ziff rn s est max min avg ver exh rs tel ext sched cl
    """
)
_NEEDS_A_YEAR_OR_DAY = word_set(
    """
    approx ca circa jan feb mar apr jun jul aug sep sept oct nov dec okt dez janv févr avr juil déc ene
    abr dic fev mrt
    """
)
_MAY_END_A_SENTENCE = word_set(
    """
    inc corp co cos ltd llc plc bros jr sr esq mfg intl mio mrd tsd mln mld phd cie rev hon gen col capt
    lt sgt sen rep gov pres mgr st mt ft fr hr sra srta dott dra ing dipl v resp inkl incl excl exkl
    zzgl ggf evtl sog gem vgl esp asst assoc dept univ gebr al approx ca
    """
)
_DATED_OR_ORDINAL = word_set(
    """
    januar februar märz april mai juni juli august september oktober november dezember jänner quartal
    halbjahr jahr jahrhundert jahrestag platz rang auflage kapitel abschnitt absatz geschäftsjahr
    sitzung hauptversammlung stock
    """
)
_BEGINS_SENTENCES = word_set(
    """
    a an the this that these those it its he she they we you i his her their our my there here in on at
    as if however but and or so yet for by from with when while where what who why how although though
    because since after before during under over between among both each all some many most several few
    no not one two three another other such overall also then thus therefore moreover furthermore
    meanwhile additionally finally first second third according despite unlike like given based total
    net gross revenue sales costs margins management analysts der die das den dem des ein eine einer im
    am zum zur es er sie wir dies diese dieser damit dabei für bei mit nach auch jedoch aber und daher
    zudem allerdings während durch aus seit laut insgesamt le la les l un une des ce cette ces il elle
    ils elles nous en au aux dans pour par sur avec selon cependant toutefois el los las lo una unos
    este esta estos estas en para por con según sin además il lo gli i uno questo questa nel nella nei
    per con secondo tuttavia inoltre o os as um uma este essa isso no na nos nas em para por com segundo
    porém de het een deze dit dat in op voor met volgens echter ook
    """
)
_LETTERED_THINGS = word_set(
    """
    plan series class appendix vitamin type section schedule tier grade option annex exhibit part phase
    scenario segment product model case group category unit figure table hepatitis item share shares
    tranche team building gate zone region level round stufe serie klasse anhang typ plano clase tipo
    groupe
    """
)
_EXCLAMATORY_NAMES = word_set("yahoo jeopardy wham jimdo")
_LEADING_MARKS = "([{\"'“‘„«*_¿¡—–-/|"
_NEXT_WORD = re.compile(r"[\W_]*?([^\W\d_]+(?:['’][^\W\d_]+)?)(\.?)")
_NEXT_NUMBER = re.compile(r"[\s([{\"'“*_~#§$€£¥+-]*\d|\s*[IVXLC]{2,}\b")
_NEXT_YEAR = re.compile(r"\s*(?:19|20)\d\d\b")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")


def is_exclamatory_name(before: str) -> bool:
    return _last_word(before).lower() in _EXCLAMATORY_NAMES


def begins_with_dated_word(after: str) -> bool:
    """“31. Dezember”, “3. Quartal”: the full stop before the word makes an ordinal."""
    return _next_word(after) in _DATED_OR_ORDINAL


def stops_a_word_only(before: str, after: str, is_cited: bool) -> bool:
    """Whether the full stop between the two texts is part of an abbreviation, an initial or an ordinal.

    A citation right after it suggests the end of a sentence, unless the word cannot be the last one.
    """
    word = _last_word(before)
    lower = word.lower()
    if word.isdecimal():
        return len(word) <= 2 and (_is_enumerator(before, word) or begins_with_dated_word(after))
    if lower in _NEEDS_A_WORD or (lower in _NEEDS_A_YEAR_OR_DAY and _NEXT_NUMBER.match(after)):
        return True
    # “The answer is no. 2024 was weak.”: a year is not the number of anything.
    if lower in _NEEDS_A_NUMBER and _NEXT_NUMBER.match(after) and not _NEXT_YEAR.match(after):
        return True
    if is_cited or _begins_sentence(after):
        return False
    return lower in _MAY_END_A_SENTENCE or _DOTTED.fullmatch(word) is not None or _is_initial(before, word)


def _last_word(before: str) -> str:
    words = before.split()
    return re.split(r"[/—(\[]", words[-1])[-1].lstrip(_LEADING_MARKS) if words else ""


def _next_word(after: str) -> str:
    match = _NEXT_WORD.match(after)
    return match[1].lower() if match else ""


def _begins_sentence(after: str) -> bool:
    match = _NEXT_WORD.match(after)
    # “A.” after an initial is another initial, not the article.
    if match is None or match[2]:
        return False
    stem, apostrophe, _ = match[1].lower().replace("’", "'").partition("'")
    return stem in _BEGINS_SENTENCES and not (apostrophe and stem in ("o", "d"))


def _is_enumerator(before: str, number: str) -> bool:
    """“Drivers: 1. Price …”: the number of an item inside a sentence."""
    lead = before[: -len(number)].rstrip(" \t(*_")
    return lead == "" or lead[-1] in ":;,"


def _is_initial(before: str, word: str) -> bool:
    if len(word) != 1 or word.lower() == word.upper():
        return False
    previous = before.split()[-2:-1]
    return not previous or not (previous[0].lower() in _LETTERED_THINGS or previous[0][-1].isdigit())
