"""`python -m evals.leave_out [SET] [RULE …]`: what each rule of the offline answers is worth.

Asks all questions of a set, once as shipped and once with each rule left out, and prints how many answers change and
how many are then right, wrong or refused. About a minute a rule.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from evals.answer_data import AnswerSet, all_asked, answer_sets, filing_sets, opened, table_sets
from evals.answer_scoring import scored
from evals.eval_unseen import FOLDER, answer_set
from evals.tables import table
from masis.language import question
from masis.reasoning.offline import relevance, selection, shapes

RULES: tuple[tuple[Any, str, Callable[..., Any]], ...] = (
    (shapes, "_for_years_left_out", lambda *_: []),
    (shapes, "_for_words_left_out", lambda *_: []),
    (shapes, "_what_follows", lambda *_: []),
    (shapes, "_with_antecedents", lambda chosen, _: list(chosen)),
    (shapes, "_with_items", lambda told, _: list(told)),
    (shapes, "_is_tied", lambda *_: False),
    (shapes, "_going_on", lambda *_: []),
    (shapes, "_are_of_one_list", lambda _: False),
    (shapes, "rows_asked_for", lambda *_: None),
    (selection, "lead_of", lambda *_: ""),
    (selection, "_is_only_a_title", lambda *_: False),
    (relevance, "is_of_another_office", lambda *_: False),
    (relevance, "lacks_the_type", lambda *_: False),
    (relevance, "_is_for_months", lambda _: False),
    (relevance, "_is_of_another_quarter", lambda *_: False),
    (question, "named_again", lambda _, part: part),
    (question, "spelled_out", lambda text: text),
    (question, "without_documents", lambda text: text),
)


@contextmanager
def without(home: Any, name: str, instead: Callable[..., Any]) -> Iterator[None]:
    """Replaces the rule in every module that imported it, and forgets what was read with it."""
    rule = getattr(home, name)
    users = [m for key, m in list(sys.modules.items()) if key.startswith("masis.") and vars(m).get(name) is rule]
    for module in users:
        setattr(module, name, instead)
    _forget()
    try:
        yield
    finally:
        for module in users:
            setattr(module, name, rule)
        _forget()


def _forget() -> None:
    for key, module in list(sys.modules.items()):
        if key.startswith(("masis.language.", "masis.reasoning.offline.")):
            for value in list(vars(module).values()):
                if callable(clear := getattr(value, "cache_clear", None)):
                    clear()


SETS: dict[str, Callable[[], Sequence[AnswerSet]]] = {
    "unseen": lambda: [answer_set(folder) for folder in sorted(FOLDER.iterdir()) if folder.is_dir()][:1],
    "articles": lambda: answer_sets()[:-1],
    "sample": lambda: answer_sets()[-1:],
    "filings": lambda: filing_sets()[:1],
    "figures": lambda: filing_sets()[1:],
    "reports": table_sets,
}


def chosen_set(which: str) -> AnswerSet:
    found = SETS[which]()
    if not found:
        raise SystemExit(f"The documents of “{which}” are not at ../shared/data.")
    return found[0]


def chosen_rules(names: Sequence[str]) -> list[tuple[Any, str, Callable[..., Any]]]:
    """The rules with these names, or all of them."""
    if unknown := set(names) - {name for _, name, _ in RULES}:
        raise SystemExit(f"There is no rule {', '.join(sorted(unknown))}: see RULES in evals/leave_out.py.")
    return [rule for rule in RULES if not names or rule[1] in names]


def main(which: str, names: Sequence[str] = ()) -> None:
    rules = chosen_rules(names)
    chosen = chosen_set(which)
    with opened(chosen) as masis:

        def asked(title: str) -> tuple[list[str], list[int]]:
            results = all_asked(masis, chosen.posed, title)
            scores = [scored(p, result) for p, result in zip(chosen.posed, results, strict=True)]
            right = sum(s.right and s.answerable for s in scores)
            shown = sum(s.answered for s in scores) - right
            refused = sum(not s.answered and not s.answerable for s in scores)
            return [result.answer for result in results], [right, shown, refused]

        answers, before = asked("as shipped")
        rows: list[Sequence[object]] = [("nothing", "", *before)]
        for home, name, instead in rules:
            with without(home, name, instead):
                others, after = asked(name)
            changed = sum(a != b for a, b in zip(answers, others, strict=True))
            rows.append((f"`{name}`", changed, *after))
            print(rows[-1], flush=True)
    print(table(["left out", "answers that change", "right", "shown, not right", "refused, no answer there"], rows))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m evals.leave_out", description=__doc__)
    parser.add_argument("set", nargs="?", default="unseen", choices=tuple(SETS))
    parser.add_argument("rule", nargs="*", help="leave out only these (default: every rule, one by one)")
    given = parser.parse_args()
    main(given.set, given.rule)
