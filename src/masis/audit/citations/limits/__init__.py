"""How a writer says that the evidence lacks something, one module a language.

Every pattern reads text from `hedges.plain_words`: lower case, plain quotes and dashes, no contractions in
English. The subject must be the evidence, the writer or nobody: "the company does not disclose" is a claim
about the company.
"""

import re
from functools import cache

from masis.audit.citations.limits import dutch, english, french, german, italian, nordic, portuguese, spanish, worldwide

_LANGUAGES = (english, german, french, spanish, italian, portuguese, dutch, nordic)


@cache
def limit_patterns() -> tuple[re.Pattern[str], ...]:
    """Compiled at the first use: a hundred patterns take a while, and importing is free."""
    patterns = [pattern for language in _LANGUAGES for pattern in language.LIMITS]
    return tuple(re.compile(pattern) for pattern in [*patterns, *worldwide.LIMITS])


@cache
def evidence_pattern() -> re.Pattern[str]:
    """Any word for the evidence."""
    nouns = "|".join(language.EVIDENCE for language in _LANGUAGES)
    return re.compile(rf"\b(?:{nouns})\b|{worldwide.EVIDENCE}")
