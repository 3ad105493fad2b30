import pytest

from masis.errors import UnreadableFile
from masis.sources.markup.webpage import parse_webpage
from tests.sources.files import bare


def read(html: str) -> str:
    return parse_webpage(html.encode(), "a.html").text


def test_the_text_a_reader_sees() -> None:
    html = """<html><head><title>Page title</title><style>p {color: red}</style></head><body>
    <nav>Home About</nav><h1>Annual <b>Report</b></h1>
    <p>Revenue   rose to
    <em>$184.1</em>&nbsp;million.</p><script>track()</script><div>One</div><div>Two<br>Three</div>
    <ul><li>First</li><li><p>Second</p><p>more</p></li></ul><h3>End</h3>
    <noscript>Turn it on</noscript><template>Not yet</template></body></html>"""
    assert read(html) == (
        "# Annual Report\n\nRevenue rose to $184.1 million.\n\nOne\nTwo\nThree\n\n- First\n- Second\n\nmore\n\n### End"
    )


def test_title_and_date() -> None:
    document = parse_webpage(b"<title>T</title><h1>Results</h1><p>Published: 22 January 2026</p>", "a.html")
    assert (document.title, document.date) == ("Results", "2026-01-22")
    assert parse_webpage(b"<title> Only\n this </title><p>x", "a.html").title == "Only this"


def test_hidden_text_is_not_read() -> None:
    html = (
        "<p>Seen.</p><p hidden>no</p><p style='display: none'>no</p><span style='VISIBILITY:hidden'>no</span>"
        "<!-- no --><p style='color: red'>Also seen.</p>"
    )
    assert read(html) == "Seen.\n\nAlso seen."


def test_a_table_row_is_one_line() -> None:
    html = """<table><caption>Revenue by region</caption><thead><tr><th>Region<th>2024<th>2025</tr></thead>
    <tr><td>Europe</td><td><p>56.6</p></td><td>62.8 <sup>a</sup></td></tr>
    <tr><td>Asia<br>Pacific</td><td></td><td>27.2</td></tr></table><p>After.</p>"""
    assert bare(read(html)) == (
        "Revenue by region\nRegion | 2024 | 2025\nEurope | 56.6 | 62.8 a\nAsia Pacific |  | 27.2\n\nAfter."
    )


def test_spans_keep_the_columns() -> None:
    html = """<table><tr><th rowspan=2>Region<th colspan=2>Revenue<th>People</tr>
    <tr><td>2024<td>2025<td>2025</tr><tr><td>Europe<td>1<td>2<td>3</tr></table>"""
    assert bare(read(html)) == "Region | Revenue 2024 | Revenue 2025 | People 2025\nEurope | 1 | 2 | 3"


def test_signs_in_columns_of_their_own_join_their_figures() -> None:
    html = """<table><tr><td>Loss<td>$<td>(1,234<td>)<td></td><td>5<td>%</tr>
    <tr><td>Gain<td>$<td>99<td><td><td>7<td>%</table>"""
    assert bare(read(html)) == " |  | \nLoss | $(1,234) | 5%\nGain | $99 | 7%"


def test_a_table_that_lays_out_the_page_is_not_a_table() -> None:
    html = "<table><tr><td><h2>News</h2><p>Text.</p><table><tr><td>a<td>b</tr></table></td></tr></table>"
    assert bare(read(html)) == "## News\n\nText.\n\na | b"
    assert bare(read("<table><tr><td>Only</tr><tr><td>one column</tr></table>")) == "Only\none column"


def test_a_table_inside_a_cell_comes_below_with_the_label_of_its_row() -> None:
    html = """<table><tr><th>Region<th>Detail</tr><tr><td>North<td>see
    <table><tr><th>Q1<th>Q2</tr><tr><td>10<td>12</tr></table></tr><tr><td>South<td>none</tr></table>"""
    assert bare(read(html)) == "Region | Detail\nNorth | see\nSouth | none\n\nNorth\nQ1 | Q2\n10 | 12"


def test_tables_as_deep_as_a_page_may_nest() -> None:
    html = "<table><tr><th>a<th>b</tr><tr><td>c<td>" * 700
    text = read(html + "<p>end</p>" + "</table>" * 700)
    assert text.count("| a | b |") == 700
    assert text.endswith("end |")


def test_a_table_that_lists_or_lays_out_is_read_as_lines() -> None:
    assert read("<table><tr><td>•<td>Prices may fall.</tr><tr><td>•<td>Costs may rise.</table>") == (
        "- Prices may fall.\n- Costs may rise."
    )
    cover = "<tr><td>Nevada<td>20-81</tr>" + "".join(f"<tr><td colspan=2>Line {n}</tr>" for n in range(3))
    assert "|" not in read(f"<table>{cover}</table>")


def test_the_rows_of_a_form_have_no_header() -> None:
    text = read("<table><tr><th>Founded<td>1999</tr><tr><th>Chair<td>Ann Lee</table>")
    assert text == "|  |  |\n|---|---|\n| Founded | 1999 |\n| Chair | Ann Lee |"


def test_an_absurd_span_costs_nothing() -> None:
    text = read("<table><tr><td colspan=999999999 rowspan=999999999>a<td>b</tr><tr><td>c</tr></table>")
    assert text.splitlines()[0].startswith("| a")


@pytest.mark.parametrize(
    ("declaration", "encoding"),
    [
        ('<meta charset="iso-8859-2">', "iso-8859-2"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">', "windows-1251"),
        ('<meta charset="no-such-encoding">', "utf-8"),
        ("", "cp1252"),
    ],
)
def test_the_declared_encoding(declaration: str, encoding: str) -> None:
    word = {"iso-8859-2": "Łódź", "windows-1251": "Отчёт", "utf-8": "Łódź", "cp1252": "naïve"}[encoding]
    html = f"<html><head>{declaration}</head><body><p>{word} 2025</p></body></html>"
    assert parse_webpage(html.encode(encoding), "a.html").text == f"{word} 2025"


def test_preformatted_text_keeps_its_lines() -> None:
    assert read("<pre>a  b\n  c</pre>") == "a  b\n  c"


@pytest.mark.parametrize("tag", ["div", "b", "blockquote", "span"])
def test_absurd_nesting_is_refused_at_once(tag: str) -> None:
    with pytest.raises(UnreadableFile, match="deep"):
        read(f"<{tag}>" * 400_000 + "x")


def test_deep_but_real_nesting_is_read() -> None:
    assert read("<div>" * 2000 + "core" + "</div>" * 2000) == "core"


def test_broken_markup() -> None:
    assert bare(read("<p>One<p>Two</b></i><table><tr><td>a<td>b")) == "One\n\nTwo\n\na | b"


def test_an_empty_element_of_xhtml_swallows_nothing() -> None:
    data = (
        b'<?xml version="1.0" encoding="iso-8859-1"?><html><head><title/></head>'
        b'<body><p>Gr\xf6\xdfe<br/><a id="x"/>A.</p></body></html>'
    )
    assert parse_webpage(data, "a.xhtml").text == "Größe\nA."


def test_years_over_a_sign_and_its_figure_below_a_name_over_two_years() -> None:
    gap, sign = "<td>&#160;</td>", "<td>$</td>"
    years = "".join(f'<td></td><td colspan="3"><b>{year}</b></td>' for year in (2025, 2024))
    rows = "".join(
        f"<tr><td>{label}</td>{gap}{first}<td>{new}</td><td></td>{gap}{first}<td>{old}</td><td></td></tr>"
        for label, first, new, old in (("Sales", sign, "408", "387"), ("Costs", "<td></td>", "291", "274"))
    )
    page = (
        '<table><tr><td></td><td></td><td colspan="7"><b>Three months ended June 30,</b></td></tr>'
        f"<tr><td></td>{years}</tr>{rows}</table>"
    )
    assert parse_webpage(page.encode(), "a.html").text.splitlines() == [
        "|  | Three months ended June 30, 2025 | Three months ended June 30, 2024 |",
        "|---|---|---|",
        "| Sales | $408 | $387 |",
        "| Costs | 291 | 274 |",
    ]


def test_a_figure_across_the_cells_of_a_sign_and_a_figure_is_in_their_column() -> None:
    def row(label: str, *figures: str, signed: bool) -> str:
        cells = (f"<td>$</td><td>{f}</td><td></td>" if signed else f"<td colspan=2>{f}</td><td></td>" for f in figures)
        return f"<tr><td colspan=3>{label}</td>{'<td colspan=3></td>'.join(cells)}</tr>"

    days = "<td colspan=3></td>".join(f"<td colspan=3><b>{day}</b></td>" for day in ("May 3, 2025", "May 4, 2024"))
    page = (
        f"<table><tr><td colspan=3></td>{days}</tr>{row('Cash', '31', '28', signed=True)}"
        f"{row('Stores', '149', '126', signed=False)}{row('Total', '180', '154', signed=True)}</table>"
    )
    assert parse_webpage(page.encode(), "a.html").text.splitlines() == [
        "|  | May 3, 2025 | May 4, 2024 |",
        "|---|---|---|",
        "| Cash | $31 | $28 |",
        "| Stores | 149 | 126 |",
        "| Total | $180 | $154 |",
    ]


def test_two_columns_of_one_name_that_are_both_filled_stay_two() -> None:
    html = "<table><tr><th>Team<th colspan=2>Score</tr><tr><td>Reds<td>3<td>1</tr><tr><td>Blues<td>2<td>2</tr></table>"
    assert bare(read(html)) == "Team | Score | Score\nReds | 3 | 1\nBlues | 2 | 2"


def test_debit_and_credit_under_one_name_stay_two_columns() -> None:
    html = (
        "<table><tr><th>Entry<th colspan=2>Amount</tr><tr><td>Rent<td>500<td></tr><tr><td>Sale<td><td>900</tr></table>"
    )
    assert bare(read(html)) == "Entry | Amount | Amount\nRent | 500 | \nSale |  | 900"
