"""What a tool returns holds everything that bears on whether to trust an answer."""

from masis.mcp.results import result_of
from tests.export.packs import usual


def test_likelihood_repairs_and_closest_passages_are_returned() -> None:
    result = result_of(usual().result)
    assert (result.likelihood, result.likelihood_word) == (0.82, "likely right")
    assert [claim.repaired for claim in result.claims if claim.repaired] == [
        "The writer cited nothing; MASIS added the citation."
    ]
    assert result.removed_sentences == ["Churn doubled."]
    assert [(passage.file_name, passage.words) for passage in result.closest] == [("annex.pdf", ["churn"])]
