import pytest

from masis.language.quantities import Period
from masis.language.question import parsed, read_question


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("What was revenue in 2025?", 1),
        ("When does the laboratory open, and how much does it cost?", 2),
        ("Who founded it and in which year?", 2),
        ("What was research and development expense?", 1),
        ("What was revenue? Who audited it?", 2),
        ("How many people, and how many sites, and who leads them?", 3),
    ],
)
def test_a_question_is_cut_into_what_it_asks(text: str, parts: int) -> None:
    assert len(parsed(text).parts) == parts


def test_a_part_that_points_back_is_read_with_what_it_points_to() -> None:
    _, second = parsed("When does the Singapore laboratory open, and how much did the board approve for it?").parts
    assert second.for_reading == "how much did the board approve for the Singapore laboratory?"
    first, second = parsed("Why did revenue fall, and what will they do about it?").parts
    assert second.for_reading.startswith(first.text)


def test_the_summary_of_a_named_document_is_an_overview_and_that_of_a_matter_is_none() -> None:
    assert read_question("Summarise the article on regulating artificial intelligence.").shape == "overview"
    assert read_question("Summarise the risks in the report.").shape != "overview"


@pytest.mark.parametrize(
    "text",
    [
        "Give me an overview",
        "Could you give me a quick overview, please?",
        "Give me an overview of these documents.",
        "A summary of everything",
        "What's this folder about?",
        "What is in my files?",
    ],
)
def test_who_asks_for_no_matter_asks_for_an_overview(text: str) -> None:
    assert parsed(text).shape == "overview"


@pytest.mark.parametrize("text", ["Who wrote the summary?", "Is there an overview?", "Overview of the market"])
def test_an_overview_is_not_asked_for_where_one_is_only_named(text: str) -> None:
    assert parsed(text).shape != "overview"


def test_a_part_that_stands_alone_is_read_alone() -> None:
    _, second = parsed("How many employees are there, and what was operating income in fiscal 2025?").parts
    assert second.for_reading == second.text


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("How many customers left?", "number"),
        ("What was the churn rate?", "number"),
        ("Who chairs the board?", "person"),
        ("When does the loan mature?", "time"),
        ("What are the three priorities?", "list"),
        ("Did the board approve it?", "yes_no"),
        ("Describe the strategy.", "statement"),
    ],
)
def test_the_kind_of_answer(text: str, kind: str) -> None:
    assert kind in read_question(text).kinds


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        ("How many patents does the company hold?", {"patent"}),
        ("How many tonnes of carbon dioxide did the plants emit?", {"tonn", "carbon", "dioxid"}),
        ("How much did it cost?", set()),
    ],
)
def test_what_how_many_counts(text: str, counted: set[str]) -> None:
    assert read_question(text).counted == counted


def test_periods_and_names() -> None:
    read = read_question("What was revenue of Tolmerick in Q3 2025?")
    assert read.periods == (Period(2025, "Q3"),)
    assert read.named == {"tolmerick"}


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("What can we claim when the foundry delivers late?", {"statement"}),
        ("I fly for 13 hours to Singapore. May I book business class?", {"yes_no"}),
        ("The shop opens when?", {"time"}),
        ("Since when has she been in office?", {"time"}),
        ("What did Dr. Smith find?", {"statement"}),
    ],
)
def test_the_sentence_that_asks_says_what_kind_of_answer_is_wanted(question: str, kinds: set[str]) -> None:
    assert parsed(question).parts[0].kinds == kinds


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("What was order intake in 2025? I have seen two numbers.", ["What was order intake in 2025"]),
        (
            "If we buy less than promised, what does it cost us?",
            ["If we buy less than promised, what does it cost us?"],
        ),
        ("What can we claim, and is there a ceiling?", ["What can we claim", "is there a ceiling?"]),
        ("Before tax, what was the loss?", ["Before tax, what was the loss?"]),
        ("According to the auditors, who is to blame?", ["According to the auditors, who is to blame?"]),
        ("In which year did it open, and who owns it?", ["In which year did it open", "who owns it?"]),
        (
            "How many branches did Acme have in May, and how many of them were new?",
            ["How many branches did Acme have in May", "how many of the branches were new?"],
        ),
        (
            "In 2024 did revenue rise and who is the chairman?",
            ["In 2024 did revenue rise", "who is the chairman?"],
        ),
        (
            "During the year was a plant closed, and who decided on it?",
            ["During the year was a plant closed", "who decided on it?"],
        ),
        ("As of June is the plant open? Who runs Lund?", ["As of June is the plant open", "Who runs Lund?"]),
        ("After the plant was closed, who ran Lund?", ["After the plant was closed, who ran Lund?"]),
        (
            "How many people did Acme employ, and what was its income?",
            ["How many people did Acme employ", "what was Acme’s income?"],
        ),
    ],
)
def test_a_remark_and_a_condition_are_not_parts_and_a_name_stands_for_its_pronoun(
    question: str, parts: list[str]
) -> None:
    assert [part.text for part in parsed(question).parts] == parts
