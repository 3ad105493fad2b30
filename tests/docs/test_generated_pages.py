import pytest

from scripts.write_docs import DOCS, PAGES


@pytest.mark.parametrize("page", PAGES)
def test_page_is_what_make_docs_writes(page: str) -> None:
    assert (DOCS / page).read_text() == PAGES[page](), "run `make docs`"
