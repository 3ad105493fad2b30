"""`masis chat`: questions that follow up on each other, each answered by its own run."""

import re
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

from masis.cli.answering import InDocument, OfType, Since, Until, filters_from
from masis.cli.console import AsJson, Workspace, beside, masis_here, out
from masis.cli.report import as_read
from masis.language.measures import percent
from masis.numbering import Sources, quote_words
from masis.wording import OUTCOMES, counted, scope_words, verdict_of

if TYPE_CHECKING:
    from masis.client import Masis
    from masis.runs.events import RunEvent
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
    from masis.types import EVERYWHERE

    with beside(as_json=as_json) as service, ExitStack() as open_parts:
        filters = filters_from(document, file_type, since, until, None)
        door = service or _Here(open_parts.enter_context(masis_here()))
        # No filters means the filters of the thread that is continued.
        talk = Talk(door, workspace, as_json, thread, filters if filters != EVERYWHERE else None)
        door.file_names(workspace)  # raises if the workspace does not exist
        if sys.stdin.isatty() and not as_json:
            out().print(f"Asking {workspace}. /help for more.", style="dim", markup=False)
        for line in _lines():
            if line in ("/quit", "/exit"):
                break
            talk.hear(line)


class Door(Protocol):
    """What `masis chat` talks to: MASIS in this process, or a running service."""

    def ask(
        self,
        question: str,
        workspace: str,
        *,
        filters: "SearchFilters | None",
        thread: str | None,
        on_event: "Callable[[RunEvent], None] | None",
    ) -> "RunResult": ...
    def turns(self, workspace: str, run_id: str) -> list[dict[str, Any]]: ...
    def file_names(self, workspace: str) -> set[str]: ...


class _Here:
    def __init__(self, masis: "Masis") -> None:
        self._masis = masis
        self.ask = masis.ask

    def turns(self, workspace: str, run_id: str) -> list[dict[str, Any]]:
        thread_id = self._masis.get_run(run_id, workspace).thread_id
        return [asdict(run) for run in self._masis.runs(workspace, thread_id=thread_id)]

    def file_names(self, workspace: str) -> set[str]:
        return {document.file_name for document in self._masis.documents(workspace)}


def _lines() -> "list[str] | _Typed":
    return _Typed() if sys.stdin.isatty() else [line for line in map(str.strip, sys.stdin) if line]


class _Typed:
    """Reads what a person types; the arrow keys bring back earlier lines."""

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
    door: Door
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
            err().print(f"{error} {error.advice}", style="red", markup=False, soft_wrap=True)

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
            self.last = self.door.ask(
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
        if not result.says_only_silence:
            answer = sources.numbered(result.answer)
            if (console := out()).is_terminal:
                console.print(as_read(answer))
            else:
                self._say(answer)
        files = dict.fromkeys(source.where for source in sources)
        self._say(" · ".join(filter(None, (OUTCOMES[result.outcome].word, result.sure, *list(files)[:3]))), "dim")
        if scope := scope_words(result.filters, result.evidence):
            self._say(f"scope: {scope}", "dim")
        for passage in result.closest:
            self._say(f"closest: {passage['file_name']}: “{quote_words(passage)[:160]}”", "dim")
        if result.clarification_question and result.requires_human_review:
            self._say(f"{result.clarification_question}\nmasis answer {result.run_id} --help", "yellow")

    def _sources(self) -> None:
        found = list(Sources(self.last.claims)) if self.last else []
        for source in found:
            self._say(f"[{source.number}] {source.where}\n    “{quote_words(source.citation)}”")
        if not found:
            self._say("No answer with sources yet.")

    def _why(self) -> None:
        if self.last is None:
            self._say("No answer yet.")
            return
        sources = Sources(self.last.claims)
        for claim in self.last.claims:
            if claim["kind"] != "heading":
                reason = f"\n               {claim['reason']}" if claim.get("reason") else ""
                self._say(f"{verdict_of(claim).word:<14} {sources.numbered(claim['text'])}{reason}")
        if self.last.sure:
            self._say(f"{self.last.sure}, overall score {percent(self.last.evaluation['overall_score'])}", "dim")
        self._say(f"masis runs show {self.last.run_id} --trail", "dim")

    def _history(self) -> None:
        turns = self.door.turns(self.workspace, self.thread) if self.thread else []
        for number, turn in enumerate(reversed(turns), start=1):
            outcome = OUTCOMES[turn["outcome"]].word if turn["outcome"] else turn["status"]
            self._say(f"{number}. {turn['question']} ({outcome})")
        self._say(f"{counted(len(turns), 'question')} in this thread.", "dim")

    def _new(self) -> None:
        self.thread, self.last = None, None
        self._say("A new thread.", "dim")

    def _scope(self, words: str) -> None:
        if words:
            names = self.door.file_names(self.workspace)
            wanted = scope_from(words, names)
            require_scope(wanted, names, self.workspace)
            self.filters = wanted
        scope = scope_words(asdict(self.filters)) if self.filters else ""
        self._say(f"Asking {scope or 'all documents'}.", "dim")

    def _say(self, text: str, style: str = "") -> None:
        out().print(text, style=style, markup=False, soft_wrap=True)


def scope_from(words: str, names: set[str]) -> "SearchFilters":
    """“pdf since 2024 report.docx”, or “all”."""
    from masis.types import SearchFilters

    documents, types, dates = list[str](), list[str](), dict[str, str]()
    # A file name may contain spaces, so whole names come first.
    for name in sorted(names, key=len, reverse=True):
        whole = re.compile(rf"(?<![^\s,]){re.escape(name)}(?![^\s,])") if name in words else None
        if whole and whole.search(words):
            documents.append(name)
            words = whole.sub(" ", words)
    given = iter(words.replace(",", " ").split())
    for word in given:
        if word in ("since", "until"):
            dates[word] = next(given, "")
        elif "." in word.lstrip("."):
            documents.append(word)
        elif word != "all":
            types.append(word.lstrip(".").lower())
    return SearchFilters(tuple(documents), tuple(types), dates.get("since"), dates.get("until"))


def require_scope(filters: "SearchFilters", names: set[str], workspace: str) -> None:
    """Raises at once for an unknown name or an invalid date, not only with the next question."""
    from masis.errors import InvalidInput, UnknownDocument
    from masis.knowledge.store.port import days_of

    ends = tuple(name.lower() for name in names)
    missing = [each for each in filters.documents if each not in names]
    missing += [kind for kind in filters.file_types if not any(end.endswith(f".{kind}") for end in ends)]
    if missing:
        raise UnknownDocument(
            f"{workspace} has no document or file type {missing[0][:80]!r}; the scope is as before.",
            advice=f"List the documents with `masis documents --workspace {workspace}`.",
        )
    for date in (filters.dated_from, filters.dated_to):
        if date is not None and days_of(date) is None:
            raise InvalidInput(
                f"{date[:40]!r} is not a date; the scope is as before.", advice="Write 2025, 2025-03 or 2025-03-31."
            )
