"""Which language a text is in, told by its commonest words; enough to know that two texts cannot share words."""

import re

from masis.language.patterns import word_set

_COMMON = {
    "en": word_set("the of and to in is was that for on with as by at from are were has have not this which it be an"),
    "de": word_set("der die das und ist war von den dem des ein eine mit für auf im nicht zu wurde sich als auch bei"),
    "fr": word_set(
        "le la les de des est et une du dans pour que qui par sur au aux avec pas été ont son sont ne ce il"
    ),
    "es": word_set(
        "el la los las de fueron año es y una del en para que por con no fue se su al han sido son como más lo"
    ),
    "it": word_set("il la gli delle è e una del nel per che con non di si dei della sono stato stata ha al le"),
    "pt": word_set("o a os as de foram ano é e uma do da em para que por com não foi se no na dos das são ao mais um"),
    "nl": word_set("de het een van en is was in op voor met niet dat zijn door aan bij ook werd te om er"),
}
_SCRIPTS = {
    "zh": re.compile("[\u4e00-\u9fff]"),
    "ja": re.compile("[\u3040-\u30ff]"),
    "ko": re.compile("[\uac00-\ud7af]"),
    "ru": re.compile("[\u0400-\u04ff]"),
    "el": re.compile("[\u0370-\u03ff]"),
    "ar": re.compile("[\u0600-\u06ff]"),
}
_CLEAR = 1.5
"""How many times as many common words the likeliest language must have as the next."""


def language_of(text: str) -> str | None:
    """None where a text is too short, or too much a list of names and figures, to tell."""
    letters = sum(character.isalpha() for character in text)
    for language in ("ja", "zh", "ko", "ru", "el", "ar"):
        if letters and len(_SCRIPTS[language].findall(text)) > 0.2 * letters:
            return language
    said = re.findall(r"[^\W\d_]+", text.lower())
    counts = {language: sum(word in common for word in said) for language, common in _COMMON.items()}
    (first, most), (_, second), *_ = sorted(counts.items(), key=lambda item: -item[1])
    return first if most >= 2 and most >= _CLEAR * second else None


def differ(one: str, other: str) -> bool:
    """For certain in two languages."""
    ours, theirs = language_of(one), language_of(other)
    return ours is not None and theirs is not None and ours != theirs
