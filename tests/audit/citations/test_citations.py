from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masis.audit.citations.extraction import (
    audit_citations,
    cited_sentences,
    find_citations,
    is_abstention,
    strip_citations,
)
from tests.audit.citations.citation_cases import CASES, A, B, C, Case
from tests.support.growth import MOST, growth

KIND_LETTERS = {"claim": "c", "limit": "l", "recommendation": "r", "heading": "h"}
KNOWN = (A, B, C)


def differing(field: str, found: Callable[[Case], object]) -> list[tuple[str, object, object]]:
    """The name of each case that is not as the table says, what is found in it and what should be."""
    expected = [(case, getattr(case, field)) for case in CASES if getattr(case, field) is not None]
    return [(case.name, given, wanted) for case, wanted in expected if (given := found(case)) != wanted]


def test_sentences() -> None:
    def texts(case: Case) -> object:
        return tuple(sentence.text for sentence in cited_sentences(case.answer, case.known))

    assert differing("sentences", texts) == []


def test_kinds() -> None:
    def kinds(case: Case) -> object:
        return "".join(KIND_LETTERS[sentence.kind] for sentence in cited_sentences(case.answer, case.known))

    assert differing("kinds", kinds) == []


def test_citations() -> None:
    def ids(case: Case) -> object:
        return tuple(mark.ids for mark in find_citations(case.answer, case.known))

    assert differing("citations", ids) == []


def test_uncited() -> None:
    def uncited(case: Case) -> object:
        audit = audit_citations(case.answer, case.known)
        assert audit["uncited_claim_count"] == len(audit["uncited_claim_sentences"])
        return tuple(audit["uncited_claim_sentences"])

    assert differing("uncited", uncited) == []


def test_invalid() -> None:
    def invalid(case: Case) -> object:
        audit = audit_citations(case.answer, case.known)
        assert audit["hallucination_detected"] == bool(audit["invalid_citations"])
        return tuple(audit["invalid_citations"])

    assert differing("invalid", invalid) == []


def test_the_table_is_large_and_its_names_are_unique() -> None:
    named = [(case.name, case.answer) for case in CASES]
    assert len(named) == len(set(named)) >= 150


def test_a_mark_spans_its_whole_bracket_group() -> None:
    answer = f"Revenue rose [{A}, p. 4]. Costs fell ([{B}])."
    assert [answer[mark.start : mark.end] for mark in find_citations(answer, KNOWN)] == [
        f"[{A}, p. 4]",
        f"[{B}]",
    ]


def test_a_sentence_knows_its_real_and_its_made_up_citations() -> None:
    (sentence,) = cited_sentences(f"Revenue rose [{A}] and fell [{B}, c9999] and rose [{A}].", KNOWN)
    assert (sentence.cited, sentence.invalid) == ((A, B), ("c9999",))


def test_sentences_with_a_made_up_citation_are_unsupported_not_uncited() -> None:
    audit = audit_citations(f"Revenue rose [c9999]. Costs fell [{A}]. Cash was flat.", KNOWN)
    assert audit["unsupported_claims"] == ["Revenue rose [c9999]."]
    assert audit["uncited_claim_sentences"] == ["Cash was flat."]


@pytest.mark.parametrize(
    ("text", "stripped"),
    [
        (f"Revenue rose [{A}].", "Revenue rose."),
        (f"Revenue rose. [{A}] Costs fell. [{B}]", "Revenue rose. Costs fell."),
        (f"Revenue rose.[{A}]", "Revenue rose."),
        (f"Revenue rose [{A}], [{B}] and [{C}].", "Revenue rose."),
        (f"Revenue rose ([{A}]; [{B}]).", "Revenue rose."),
        (f"Revenue rose (see {A}, {B}).", "Revenue rose."),
        (f"[{A}] Revenue rose.\n[{B}] Costs fell.", "Revenue rose.\nCosts fell."),
        (
            f"Revenue [{A}] rose, says [the report](https://example.com).",
            "Revenue rose, says [the report](https://example.com).",
        ),
        (f"- Revenue rose [{A}]\n- Costs fell [c9999]", "- Revenue rose\n- Costs fell"),
        (f"| EMEA | 61.3 [{A}] |", "| EMEA | 61.3 |"),
        (f"収入は増えた【{A}】。", "収入は増えた。"),
        (f"Use `x[{A}]` here [1].", f"Use `x[{A}]` here [1]."),
        (f"Revenue rose [{A}]\n\n[{B}] Costs fell", "Revenue rose\n\nCosts fell"),
        ("", ""),
    ],
)
def test_strip_citations(text: str, stripped: str) -> None:
    assert strip_citations(text, KNOWN) == stripped


@pytest.mark.parametrize(
    "answer",
    [
        "The documents do not say why the plant closed.",
        "# Answer\n\nThe documents do not give the 2026 outlook. No information on churn was found.",
        "Hello! I could not find this in the documents. Please upload the 2026 budget.",
        f"The sources do not mention a dividend [{A}].",
        "Die Dokumente enthalten keine Angaben dazu.",
    ],
)
def test_abstention(answer: str) -> None:
    assert is_abstention(answer, KNOWN)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "# Answer",
        "What was revenue?",
        f"Revenue rose [{A}].",
        f"Revenue rose [{A}]. The documents do not say why.",
        "The documents do not say why, but revenue rose 4%.",
        "The documents do not say why. The company should sell the plant.",
    ],
)
def test_no_abstention(answer: str) -> None:
    assert not is_abstention(answer, KNOWN)


ID_CHARACTERS = "0123456789abcdefghjkmnpqrstvwxyz"
OUR_IDS = st.builds(
    lambda tail, digit: f"c{tail}{digit}",
    st.text(ID_CHARACTERS, min_size=9, max_size=9),
    st.sampled_from("0123456789"),
)
OTHER_IDS = st.one_of(
    st.builds("chunk_{}".format, st.integers(0, 999)),
    st.builds("doc{}-{}".format, st.integers(1, 99), st.integers(0, 99)),
    st.builds("report.pdf:{}".format, st.integers(1, 500)),
    st.uuids().map(str),
)
ANY_IDS = st.one_of(OUR_IDS, OTHER_IDS)
CLAIMS = st.sampled_from(
    [
        "Revenue rose 7.2% to $199.6M",
        "The U.S. business of Ferrowell Inc. grew",
        "Costs fell (see the note) in Europe",
        "Umsatz und Gewinn stiegen um 5 Mio. Euro",
        "収入は増えた",
        "ارتفعت الإيرادات",
        "The plant in Brno opened, e.g. for exports",
        "“Demand is strong,” said Dr. Oakhurst",
        "Version v1.2.3 shipped on Jan. 5",
    ]
)
OTHERS = st.sampled_from(
    [
        "The documents do not say why",
        "We recommend a second supplier",
        "Is that enough?",
        "Hello",
        "# Results",
    ]
)
TEMPLATES = st.sampled_from(
    [
        "{} [{}].",
        "{}. [{}]",
        "{}[{}].",
        "{} [Source: {}].",
        "{} 【{}】.",
        "{} [{}, p. 4].",
        "- {} [{}]",
        "{} [**{}**].",
    ]
)


@given(st.lists(st.tuples(CLAIMS, TEMPLATES, ANY_IDS), min_size=1, max_size=6))
def test_every_known_id_is_found(written: list[tuple[str, str, str]]) -> None:
    answer = "\n\n".join(template.format(claim, cited) for claim, template, cited in written)
    known = {cited for _, _, cited in written}
    assert [mark.ids for mark in find_citations(answer, known)] == [(cited,) for _, _, cited in written]
    assert audit_citations(answer, known)["uncited_claim_count"] == 0
    assert not audit_citations(answer, known)["invalid_citations"]


@given(st.lists(st.tuples(CLAIMS, TEMPLATES, ANY_IDS), min_size=1, max_size=6), st.sets(OUR_IDS, max_size=4))
def test_every_made_up_id_is_found(written: list[tuple[str, str, str]], known: set[str]) -> None:
    made_up = [entry for entry in written if entry[2] not in known]
    answer = "\n\n".join(template.format(claim, cited) for claim, template, cited in made_up)
    expected = list(dict.fromkeys(cited for _, _, cited in made_up))
    assert audit_citations(answer, known)["invalid_citations"] == expected


@given(st.lists(st.one_of(CLAIMS, OTHERS), min_size=1, max_size=8), st.data())
def test_a_citation_changes_no_other_sentence(written: list[str], data: st.DataObject) -> None:
    answer = "\n\n".join(text if text.endswith("?") else f"{text}." for text in written)
    before = cited_sentences(answer, KNOWN)
    chosen = data.draw(st.integers(0, len(before) - 1))
    end = before[chosen].end
    after = cited_sentences(f"{answer[:end]} [{A}]{answer[end:]}", KNOWN)
    assert [sentence.kind for sentence in after] == [sentence.kind for sentence in before]
    assert [s.text for i, s in enumerate(after) if i != chosen] == [s.text for i, s in enumerate(before) if i != chosen]
    assert after[chosen].cited == (A,)


MARKED_UP = st.text(
    st.sampled_from(list("[](){}【】`*_#|->.!?:;,\n\r\t \"'“”«»c1a2B。\\^!x—\u200b\u200f\u00a0")),
    max_size=120,
)


@given(st.one_of(st.text(max_size=200), MARKED_UP), st.sets(st.text(min_size=1, max_size=4), max_size=3))
def test_no_text_is_refused(text: str, known: set[str]) -> None:
    sentences = cited_sentences(text, known)
    assert all(text[s.start : s.end] == s.text for s in sentences)
    assert all(set(s.cited) <= known and not set(s.invalid) & known for s in sentences)
    assert len(strip_citations(text, known)) <= len(text)
    assert is_abstention(text, known) in (True, False)
    for mark in find_citations(text, known):
        assert mark.ids
        assert text[mark.start] in "[(（【［"
        assert text[mark.end - 1] in "])）】］"


ADVERSARIAL = [
    "[", "(", "【", "[[]", "a.", ". ", "a. ", "A. ", "[a", "(a ", "`", "`a``", '"', "“", "| ", "|-\n", "- ",
    "1. ", "> ", "#", "**", "```\n", "```a\n", "\n", "\r\n", " ", "\u200b", "[c1]", "[c1] ", ". [c1]", "](",
    "[a_1, ", "[x](", "[x][", "c1, ", "The documents do not ", "no information ", "…", "。", "?!", "not ",
    "should ", "$1 ", "e.g. ", "\\[", "[^1]", "a [c1]\n", "(see [c1], ", "a  \n", "===\n", "[c1]: x\n",
    "[c1]\n", "[c1].", "- [c1]\n", '(a. "b. ', "x|y\n", "12. a\n",
]  # fmt: skip


@pytest.mark.parametrize("piece", ADVERSARIAL)
def test_time_is_linear(piece: str) -> None:
    assert growth(lambda text: audit_citations(text, KNOWN), piece) < MOST


def test_a_file_name_beside_a_known_id_says_where_it_is_from() -> None:
    known = ["c7k2m9x4qt1"]
    (cited,) = cited_sentences("Revenue rose. [annual-report-2025.pdf, c7k2m9x4qt1]", known)
    assert (cited.cited, cited.invalid) == (("c7k2m9x4qt1",), ())
    (alone,) = cited_sentences("Revenue rose. [annual-report-2025.pdf]", known)
    assert alone.invalid == ("annual-report-2025.pdf",)
