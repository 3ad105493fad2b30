"""A run on the terminal shows everything that bears on whether to trust it."""

import io

from rich.console import Console

from masis.cli.report import print_result
from tests.export.packs import usual


def shown() -> str:
    page = io.StringIO()
    print_result(usual().result, Console(file=page, width=200))
    return page.getvalue()


def test_likelihood_repairs_and_closest_passages_are_shown() -> None:
    page = shown()
    assert "likely right (82%) · confidence 70% (uncalibrated)" in page
    assert "Citation added: “The same again" in page
    assert "Sentence removed: “Churn doubled.”" in page
    assert "annex.pdf, page 4: “Churn is defined in the annex.”" in page
