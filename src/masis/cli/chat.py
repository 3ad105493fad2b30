"""`masis chat`: questions that follow up on each other, each answered by a run of its own."""

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import typer

from masis.cli.answering import InDocument, OfType, Since, Until, filters_from
from masis.cli.console import AsJson, Workspace, opened, out
from masis.wording import OUTCOMES, Sources, counted, likelihood_words, verdict_of

if TYPE_CHECKING:
    from masis.client import Masis
    from masis.runs.records import RunResult
    from masis.types import SearchFilters

HELP = """/scope      where questions look; /scope all, /scope pdf, /scope report.pdf since 2024 until 2025
/sources    the passages of the last answer, quoted
/why        how sure the last answer is: the verdict on each sentence, and its reason
/history    the questions of this thread
/new        begin another thread
/quit       end (so does Ctrl-D)"""


def chat(
    workspace: Workspace,
    thread: Annotated[str | None, typer.Option(help="Continue the thread of this run.")] = None,
    document: InDocument = None,
    file_type: OfType = None,
    since: Since = None,
    until: Until = None,
    as_json: AsJson = False,
) -> None:
    """Ask questions that follow up on each other: “And the year before?”, “Why?”, “Which document says so?”.

    A question is completed from those before it, and shown as it was completed. /help lists what else there is.

    $ masis chat --workspace acme

    $ printf 'What was churn in 2025?\\nAnd the year before?\\n' | masis chat -w acme --json
    """
    with opened(as_json=as_json) as masis:
        from masis.types import EVERYWHERE

        filters = filters_from(document, file_type, since, until, None)
        # None of its own: those of the thread that is continued.
        talk = Talk(masis, workspace, as_json, thread, filters if filters != EVERYWHERE else None)
        masis.runs(workspace, limit=1)
        if sys.stdin.isatty() and not as_json:
            out().print(f"Asking {workspace}. /help for more.", style="dim", markup=False)
        for line in _lines():
            if line in ("/quit", "/exit"):
                break
            talk.hear(line)


def _lines() -> "list[str] | _Typed":
    return _Typed() if sys.stdin.isatty() else [line for line in map(str.strip, sys.stdin) if line]


class _Typed:
    """What a person types, with the arrow keys for what was typed before."""

    def __iter__(self) -> "_Typed":
        import contextlib

        with contextlib.suppress(ImportError):
            import readline  # noqa: F401
        return self

    def __next__(self) -> str:
        while True:
            try:
                line = input("› ").strip()
            except EOFError:
                raise StopIteration from None
            if line:
                return line


@dataclass
class Talk:
    masis: "Masis"
    workspace: str
    as_json: bool = False
    thread: str | None = None
    filters: "SearchFilters | None" = None
    last: "RunResult | None" = field(default=None)

    def hear(self, line: str) -> None:
        from masis.cli.console import err
        from masis.errors import MASISError

        try:
            if line.startswith("/"):
                self._command(*line.split(maxsplit=1))
            else:
                self._ask(line)
        except MASISError as error:  # the conversation continues
            err().print(f"{error} {error.advice}", style="red", markup=False)

    def _command(self, name: str, rest: str = "") -> None:
        known = {
            "/scope": lambda: self._scope(rest),
            "/sources": self._sources,
            "/why": self._why,
            "/history": self._history,
            "/new": self._new,
        }
        known.get(name, lambda: self._say(HELP))()

    def _ask(self, question: str) -> None:
        from masis.cli.report import watching

        with watching(quiet=self.as_json or not sys.stderr.isatty()) as on_event:
            self.last = self.masis.ask(
                question, self.workspace, thread=self.thread, filters=self.filters, on_event=on_event
            )
        self.thread = self.last.run_id
        if self.as_json:
            import json

            sys.stdout.write(json.dumps(self.last.as_dict(), ensure_ascii=False, default=str) + "\n")
        else:
            self._print(self.last, question)

    def _print(self, result: "RunResult", asked: str) -> None:
        sources = Sources(result.claims)
        if result.question != asked:
            self._say(f"→ {result.question}", "dim")
        self._say(sources.numbered(result.answer))
        sure = likelihood_words(result.likelihood) if result.likelihood is not None else ""
        files = dict.fromkeys(source.where for source in sources)
        self._say(" · ".join(filter(None, (OUTCOMES[result.outcome].word, sure, *list(files)[:3]))), "dim")
        for passage in result.closest:
            self._say(f"closest: {passage['file_name']}: “{' '.join(passage['quote'].split())[:160]}”", "dim")
        if result.clarification_question and result.requires_human_review:
            self._say(f"{result.clarification_question}\nmasis answer {result.run_id} --help", "yellow")

    def _sources(self) -> None:
        found = list(Sources(self.last.claims)) if self.last else []
        for source in found:
            self._say(f"[{source.number}] {source.where}\n    “{' '.join((source.citation['quote'] or '').split())}”")
        if not found:
            self._say("No answer with sources yet.")

    def _why(self) -> None:
        if self.last is None:
            self._say("No answer yet.")
            return
        for claim in self.last.claims:
            if claim["kind"] != "heading":
                reason = f": {claim['reason']}" if claim.get("reason") else ""
                self._say(f"{verdict_of(claim).word:<14} {claim['text']}{reason}")
        scores = self.last.evaluation
        self._say(f"confidence {self.last.confidence:.0%}, overall score {scores['overall_score']:.0%}", "dim")
        self._say(f"masis runs show {self.last.run_id} --trail", "dim")

    def _history(self) -> None:
        turns = self.masis.runs(self.workspace, thread_id=self._thread_id()) if self.thread else []
        for number, turn in enumerate(reversed(turns), start=1):
            outcome = OUTCOMES[turn.outcome].word if turn.outcome else turn.status
            self._say(f"{number}. {turn.question} ({outcome})")
        self._say(f"{counted(len(turns), 'question')} in this thread.", "dim")

    def _thread_id(self) -> str:
        return self.masis.get_run(self.thread or "", self.workspace).thread_id

    def _new(self) -> None:
        self.thread, self.last = None, None
        self._say("A new thread.", "dim")

    def _scope(self, words: str) -> None:
        if words:
            self.filters = scope_from(words, {d.file_name for d in self.masis.documents(self.workspace)})
        self._say(f"Asking {scope_words(self.filters)}.", "dim")

    def _say(self, text: str, style: str = "") -> None:
        out().print(text, style=style, markup=False, soft_wrap=True)


def scope_from(words: str, names: set[str]) -> "SearchFilters":
    """“pdf since 2024 report.docx”, or “all”."""
    from masis.types import SearchFilters

    documents, types, dates = list[str](), list[str](), dict[str, str]()
    # A file name may hold spaces: whole names first.
    for name in sorted(names, key=len, reverse=True):
        if name in words:
            documents.append(name)
            words = words.replace(name, " ")
    given = iter(words.replace(",", " ").split())
    for word in given:
        if word in ("since", "until"):
            dates[word] = next(given, "")
        elif "." in word.lstrip("."):
            documents.append(word)
        elif word != "all":
            types.append(word.lstrip(".").lower())
    return SearchFilters(tuple(documents), tuple(types), dates.get("since"), dates.get("until"))


def scope_words(filters: "SearchFilters | None") -> str:
    if filters is None:
        return "all documents"
    parts = [*filters.documents, *(kind.upper() for kind in filters.file_types)]
    parts += [f"since {filters.dated_from}"] if filters.dated_from else []
    parts += [f"until {filters.dated_to}"] if filters.dated_to else []
    return ", ".join(parts) or "all documents"
