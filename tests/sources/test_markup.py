import pytest

from masis.sources.markup.readers import parse_markup
from tests.sources.files import bare


def text_of(source: str, name: str) -> str:
    return parse_markup(source.encode(), name).text


def test_restructured_text() -> None:
    source = """=========
The Title
=========

Intro with ``code``, **bold** and `a link <http://x>`_, see :ref:`there <target>`.

Part
----

.. note:: Mind this.
.. image:: x.png
   :width: 100

Sub
^^^

=====  =====
Year   Sales
=====  =====
2024   5 mn
2025   6 mn
       est.
=====  =====

+------+-----+
| a    | b   |
+------+-----+

Other
-----
- item
"""
    document = parse_markup(source.encode(), "a.rst")
    assert bare(document.text) == (
        "# The Title\n\nIntro with code, bold and a link, see there.\n\n## Part\n\nMind this.\n\n### Sub\n\n"
        "Year | Sales\n2024 | 5 mn\n2025 | 6 mn est.\n\na | b\n\n## Other\n\n- item"
    )
    assert document.title == "The Title"


def test_asciidoc() -> None:
    source = """= The Title
:toc:
// a comment

== Part
* one
** two with link:http://x[a link] and *bold*
[source,python]
----
code
----

.Sales
[cols="1,1"]
|===
|Year |Sales

|2024
|5 mn
2+|total=2
|===

|a|b|
"""
    assert bare(text_of(source, "a.adoc")) == (
        "# The Title\n\n## Part\n\n- one\n- two with a link and bold\ncode\n\nSales\n\n"
        "Year | Sales\n2024 | 5 mn\ntotal=2 | \n\na | b"
    )


def test_org() -> None:
    source = """#+TITLE: Plan
#+DATE: 2026-02-24
* TODO [#A] First :tag:
  :PROPERTIES:
  :ID: 1
  :END:
Some ~code~ and [[http://x][a link]] and /slanted/ a/b.
# a comment
- [X] done
** Table
| a | b |
|---+---|
| 1 | 2 |
#+BEGIN_SRC sh
ls
#+END_SRC
"""
    document = parse_markup(source.encode(), "a.org")
    assert bare(document.text) == (
        "# Plan\n\nDate: 2026-02-24\n\n# First\n\nSome code and a link and slanted a/b.\n- done\n\n"
        "## Table\n\na | b\n1 | 2\nls"
    )
    assert (document.title, document.date) == ("Plan", "2026-02-24")


def test_latex() -> None:
    source = r"""\documentclass[11pt]{article}
\newcommand{\x}{y} % a comment
\title{On \emph{Ducks}}\author{J. M\"uller \and Fran\c{c}ois}
\begin{document}\maketitle
\section*{One}\label{sec:one}
``Quoted'' \textbf{bold \textit{both}} 5\,\% -- see~\cite[p.~3]{doe2020} and \href{http://x}{the page}\footnote{Small.}.
Inline $a_{1} \le b$ stays.
\begin{equation}
E = mc^2 \label{e}
\end{equation}
\begin{itemize}
\item one
\item[2.] two
\end{itemize}
\begin{table}[h]\begin{tabular}{|l|r|}\hline
Year & \multicolumn{1}{c}{Sales} \\ \hline
2024 & 5 \& 6 \\
\end{tabular}\caption{Figures}\end{table}
\end{document} ignored"""
    assert bare(text_of(source, "a.tex")) == (
        "# On Ducks\n\nJ. Müller François\n\n## One\n\n“Quoted” bold both 5 % – see [doe2020] and the page (Small.).\n"
        "Inline $a_{1} \\le b$ stays.\n\nE = mc^2 \\label{e}\n\n"
        "- one\n- 2. two\n\nYear | Sales\n2024 | 5 & 6\n\nFigures"
    )


@pytest.mark.parametrize(
    ("source", "name"),
    [
        (
            "WEBVTT - x\n\nNOTE no\n\n1\n00:00.000 --> 00:02.000 align:start\n<v.loud Ann>Hello <i>there</i>!</v>\n\n"
            "00:02.000 --> 00:04.000\n<v.loud Ann>Hello there!\nBye.",
            "a.vtt",
        ),
        (
            "1\n00:00:00,000 --> 00:00:02,000\nAnn: Hello {\\an8}there!\n\n2\n00:00:02,000 --> 00:00:04,000\nBye.",
            "a.srt",
        ),
    ],
)
def test_captions_are_what_is_said(source: str, name: str) -> None:
    document = parse_markup(source.encode(), name)
    assert document.text == "Ann: Hello there!\nBye."
    assert document.title is None


@pytest.mark.parametrize("name", ["a.rst", "a.adoc", "a.org", "a.tex", "a.vtt", "a.srt"])
@pytest.mark.parametrize("source", ["=", "|===\n|a", "* ", "\\begin{tabular}", "$", "00:00 -->", "=== ===", "\\title{"])
def test_marks_left_open_break_nothing(source: str, name: str) -> None:
    assert isinstance(text_of(source + "\nwords", name), str)
