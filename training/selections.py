"""Questions with a passage, and which sentences or rows of it belong to the answer: what the selector learns from.

Each example says what is known of it. A gold span gives the sentence around it; sentences that people selected, or
that a good answer aligns to, give marks without a span; a passage that does not answer gives neither. Passages that
only look right are made by changing one thing in the question, by taking the answer out, or by searching.
"""

import csv
import gzip
import io
import json
import random
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from masis.language.sentences import split_sentences
from masis.language.words import content_stems
from training import edits
from training.sets import corpora, held_out, lines, occurrences
from training.thesaurus import Thesaurus

Span = tuple[int, int]
LONGEST_PASSAGE = 1_900
"""Characters: about as many as the network reads beside a question."""
LONGEST_TABLE = 1_500
ALIGNED = 0.5
"""Share of an answer sentence's words that a source sentence must have to be what it rests on."""


@dataclass(frozen=True, slots=True)
class SelectionExample:
    set: str
    group: str
    question: str
    passage: str
    answerable: int
    marks: tuple[Span, ...] | None = ()
    """Sentences or rows that belong to the answer; None: not known."""
    spans: tuple[Span, ...] | None = None
    """The words of the answer itself; None: not known."""
    kind: str = "real"

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"held_out": held_out_here(self.group)}


def held_out_here(group: str) -> bool:
    """Of SQuAD 2.0 every second passage is measured with, of other sets every fourth group."""
    if group.startswith("squad2"):
        return int(sha256(group.encode()).hexdigest(), 16) % 2 == 0
    return held_out(group)


def units(text: str) -> list[Span]:
    """Sentences, and rows of tables."""
    found: list[Span] = []
    for line in re.finditer(r"[^\n]+", text):
        if line.group().startswith("|"):
            found.append(line.span())
        else:
            found += [(line.start() + s.start, line.start() + s.end) for s in split_sentences(line.group())]
    return found


def around(text: str, spans: Iterable[Span]) -> tuple[Span, ...]:
    wanted = list(spans)
    return tuple((a, b) for a, b in units(text) if any(a < end and b > start for start, end in wanted))


def squad(data: Path) -> Iterator[SelectionExample]:
    both = {entry["context"] for entry in lines(data / "squad2_half/questions.jsonl.gz")}
    for entry in lines(data / "xquad_en/questions.jsonl.gz"):
        text = entry["context"]
        spans = tuple((a["answer_start"], a["answer_start"] + len(a["text"])) for a in entry["answers"])
        group = _group("squad2" if text in both else "xquad", text)
        yield SelectionExample("xquad", group, entry["question"], text, 1, around(text, spans), spans)
    for entry in lines(data / "squad2_half/questions.jsonl.gz"):
        text, group = entry["context"], _group("squad2", entry["context"])
        if entry["is_impossible"]:
            yield SelectionExample("squad2", group, entry["question"], text, 0, (), ())
        elif spans := _likeliest(entry["question"], text, entry["answers"]):
            yield SelectionExample("squad2", group, entry["question"], text, 1, around(text, spans), spans)


def _group(name: str, text: str) -> str:
    return f"{name}-{sha256(text.encode()).hexdigest()[:12]}"


def _likeliest(question: str, text: str, answers: Sequence[str]) -> tuple[Span, ...]:
    """Where an answer stands more than once: in the sentence that has most of the question's words."""
    found = [span for answer in answers[:1] for span in occurrences(answer, text)]
    asked = set(content_stems(question))
    parts = units(text)

    def fit(span: Span) -> int:
        return max((len(asked & set(content_stems(text[a:b]))) for a, b in parts if a <= span[0] < b), default=0)

    best = max(map(fit, found), default=0)
    return tuple(span for span in found if fit(span) == best)


def qed(data: Path) -> Iterator[SelectionExample]:
    for entry in lines(data / "qed_dev/examples.jsonl.gz"):
        title = f"{entry['title_text']}\n"
        text, shift = title + entry["paragraph_text"], len(title)
        spans = tuple(
            {
                (a["start"] + shift, a["end"] + shift): None
                for answers in entry["original_nq_answers"]
                for a in answers
                if a["end"] > a["start"]
            }
        )
        if not spans or len(text) > 2 * LONGEST_PASSAGE:
            continue
        chosen = entry["annotation"].get("selected_sentence")
        rests = [(chosen["start"] + shift, chosen["end"] + shift - 2)] if chosen else spans
        marks = around(text, rests)
        yield SelectionExample("qed", f"qed-{entry['example_id']}", entry["question_text"], text, 1, marks, spans)


def clapnq(data: Path) -> Iterator[SelectionExample]:
    for part in ("answerable", "unanswerable"):
        for entry in lines(data / f"clapnq_dev/clapnq_dev_{part}.jsonl.gz"):
            text = f"{entry['passages'][0]['title']}\n{entry['passages'][0]['text']}"
            chosen = entry["output"][0]["selected_sentences"] if part == "answerable" else []
            found = [(text.index(s), text.index(s) + len(s)) for s in chosen if s in text]
            if bool(found) == (part == "answerable"):
                marks, group = around(text, found), f"clapnq-{entry['id']}"
                yield SelectionExample("clapnq", group, entry["input"], text, int(bool(found)), marks)


def chunking(data: Path) -> Iterator[SelectionExample]:
    texts = corpora(data)
    with (data / "chunking_evaluation/questions_df.csv").open() as file:
        for row in csv.DictReader(file):
            text = texts[row["corpus_id"]]
            for reference in json.loads(row["references"])[:2]:
                start, end = reference["start_index"], reference["end_index"]
                first = text.rfind("\n", 0, max(0, start - 400)) + 1
                first = first if start - first < 900 else max(0, start - 500)
                passage = text[first : end + 500]
                group = f"corpora-{row['corpus_id']}-{start // 30_000}"
                marks = around(passage, [(start - first, end - first)])
                yield SelectionExample("chunking", group, row["question"], passage, 1, marks)


def ramdocs(data: Path) -> Iterator[SelectionExample]:
    for entry in lines(data / "ramdocs/RAMDocs_test.jsonl.gz"):
        group, question = f"ramdocs-{entry['question']}", entry["question"]
        for document in entry["documents"]:
            text = document["text"]
            if document["type"] == "noise":
                yield SelectionExample("ramdocs", group, question, text, 0, (), ())
            elif spans := _likeliest(question, text, [document["answer"]]):
                yield SelectionExample("ramdocs", group, question, text, 1, around(text, spans), spans)


def ragtruth(data: Path) -> Iterator[SelectionExample]:
    """Where a model's faultless answer rests: the source sentences that its own sentences align to."""
    answers: dict[str, list[str]] = defaultdict(list)
    for entry in lines(data / "ragtruth_qa/responses_train.jsonl.gz"):
        if not entry["labels"] and not re.search(
            r"\b[Uu]nable to\b|\bdoes not\b|\bnot (?:mention|provide)", entry["response"]
        ):
            answers[entry["source_id"]].append(entry["response"])
    for entry in lines(data / "ragtruth_qa/sources_train.jsonl.gz"):
        text = re.sub(r"passage \d:", "", entry["source_info"]["passages"]).strip()[:LONGEST_PASSAGE]
        aligned = [aligned_to(answer, text) for answer in answers[entry["source_id"]]]
        if aligned and (best := max(aligned, key=len)):
            group = f"ragtruth-{entry['source_id']}"
            yield SelectionExample("ragtruth", group, entry["source_info"]["question"], text, 1, best)


def aligned_to(answer: str, text: str) -> tuple[Span, ...]:
    parts = [(span, set(content_stems(text[span[0] : span[1]]))) for span in units(text)]
    found = set()
    for sentence in split_sentences(answer):
        said = set(content_stems(answer[sentence.start : sentence.end]))
        if len(said) < 3 or not parts:
            continue
        span, words = max(parts, key=lambda part: len(said & part[1]) / (len(part[1]) + 8) ** 0.3)
        if len(said & words) >= ALIGNED * len(said):
            found.add(span)
    return tuple(sorted(found))


def mtrag(data: Path) -> Iterator[SelectionExample]:
    for entry in lines(data / "mtrag_un_half/tasks.jsonl.gz"):
        kind, group = entry["answerability"][0], f"mtrag-{entry['conversation_id']}"
        question = entry["input"][-1]["text"]
        alone = len(entry["input"]) == 1
        for context in entry["contexts"]:
            text = f"{context.get('title', '')}\n{context['text']}".strip()[:LONGEST_PASSAGE]
            marks = aligned_to(entry["targets"][0]["text"], text)
            if kind == "UNANSWERABLE":
                yield SelectionExample("mtrag", group, question, text, 0, (), ())
            elif kind == "ANSWERABLE" and alone and marks:
                yield SelectionExample("mtrag", group, question, text, 1, marks)


def markdown_rows(rows: Sequence[Sequence[str]]) -> list[str]:
    written = ["| " + " | ".join(" ".join(str(c).split()).replace("|", "/") for c in row) + " |" for row in rows]
    return [written[0], "|" + " --- |" * len(rows[0]), *written[1:]] if written else []


def tatqa(data: Path) -> Iterator[SelectionExample]:
    for part in ("dev", "test_gold"):
        for entry in json.loads(gzip.decompress((data / f"tatqa_dev/tatqa_dataset_{part}.json.gz").read_bytes())):
            table = "\n".join(markdown_rows(entry["table"]["table"]))
            paragraphs = {str(p["order"]): p["text"] for p in entry["paragraphs"]}
            group = f"tatqa-{entry['table']['uid']}"
            for question in entry["questions"]:
                yield from _tatqa_question(group, question, table, paragraphs)


def _tatqa_question(
    group: str, question: dict[str, Any], table: str, paragraphs: dict[str, str]
) -> Iterator[SelectionExample]:
    asked = question["question"]
    answers = question["answer"] if isinstance(question["answer"], list) else [question["answer"]]
    derivation = [n for n in re.findall(r"\d[\d,.]*", question.get("derivation") or "") if len(n) > 1]
    said = [str(a) for a in answers] if question["answer_type"] in ("span", "multi-span") else derivation
    exact = question["answer_type"] == "span"
    texts = {"table": table} | paragraphs
    in_table = question["answer_from"] in ("table", "table-text")
    for name, text in texts.items():
        relevant = in_table if name == "table" else name in question.get("rel_paragraphs", [])
        found = tuple(span for value in said for span in _likeliest(asked, text, [value]))
        if relevant and found and len(text) <= 2 * LONGEST_PASSAGE:
            spans = found if exact else None
            yield SelectionExample("tatqa", group, asked, text, 1, around(text, found), spans)
        elif not relevant and not found and question["answer_from"] != "table-text" and len(asked + text) % 4 == 0:
            yield SelectionExample("tatqa", group, asked, text, 0, (), ())


def wikitables(data: Path) -> Iterator[SelectionExample]:
    """Questions whose answer stands in one cell, with as many rows around it as are read at once."""
    archive = zipfile.ZipFile(data / "wikitablequestions/tables_train.zip")
    tables: dict[str, list[list[str]]] = {}
    for entry in lines(data / "wikitablequestions/questions_train.jsonl.gz"):
        name = entry["context"]
        if name not in tables:
            text = archive.read(name).decode().replace('\\"', '""')
            tables[name] = list(csv.reader(io.StringIO(text)))
        rows = tables[name]
        answer = " ".join(entry["targetValue"].split()).lower()
        places = [(r, c) for r, row in enumerate(rows[1:], 1) for c, cell in enumerate(row) if _cell(cell) == answer]
        if len({r for r, _ in places}) != 1 or len(rows[0]) > 14:
            continue
        yield from _table_windows(f"wtq-{name}", entry["utterance"], rows, places)


def _cell(text: str) -> str:
    return " ".join(text.split()).lower()


def _table_windows(group: str, question: str, rows: list[list[str]], places: list[Span]) -> Iterator[SelectionExample]:
    answer_row = places[0][0]
    written = markdown_rows(rows)
    header = written[:2]
    size = sum(map(len, header))
    first = last = answer_row + 1  # the line of that row, below header and rule
    while size < LONGEST_TABLE and (first > 2 or last < len(written) - 1):
        if first > 2 and (last >= len(written) - 1 or (answer_row + 1 - first) <= (last - answer_row - 1)):
            first -= 1
            size += len(written[first])
        else:
            last += 1
            size += len(written[last])
    text = "\n".join([*header, *written[first : last + 1]])
    start = len("\n".join([*header, *written[first : answer_row + 1]])) + 1
    line = written[answer_row + 1]
    cells = line.split(" | ")
    spans = []
    for _, column in places:
        before = len(" | ".join(cells[:column])) + (3 if column else 2)
        value = " ".join(rows[answer_row][column].split())
        spans.append((start + before, start + before + len(value)))
    yield SelectionExample("wtq", group, question, text, 1, ((start, start + len(line)),), tuple(spans))
    others = written[2:first] if first - 2 > len(written) - 1 - last else written[last + 1 :]
    if len(others) > 3:
        text = "\n".join([*header, *others])[:LONGEST_TABLE].rpartition("\n")[0]
        yield SelectionExample("wtq", group, question, text, 0, (), (), "rows elsewhere")


def real(data: Path) -> list[SelectionExample]:
    sets = (squad, qed, clapnq, chunking, ramdocs, ragtruth, mtrag, tatqa, wikitables)
    return [example for read in sets for example in read(data)]


QUESTION_CHANGES: Sequence[tuple[edits.Change, float]] = (
    (edits.number, 2.0),
    (edits.name_from(lambda a: a.passage, "name nearby"), 2.0),
    (edits.name_from(lambda a: a.elsewhere, "name foreign"), 1.0),
    (edits.opposite, 1.5),
    (edits.sister, 2.0),
)


def changed_questions(
    examples: Sequence[SelectionExample], thesaurus: Thesaurus, rng: random.Random
) -> Iterator[SelectionExample]:
    """The passage looks right and is not: another name, number, date or word stands in the question."""
    by_set = _by_set(examples)
    for example in examples:
        if not example.answerable or example.set in ("ragtruth", "poisonedrag"):
            continue
        surroundings = edits.Surroundings(example.passage, rng.choice(by_set[example.set]).passage, thesaurus, rng)
        if rng.random() < 0.25 and (edited := edits.synonym(example.question, surroundings)):
            yield replace(example, question=edited.text, kind="synonym")
        if rng.random() < (0.25 if example.set == "wtq" else 0.75):
            yield from _changed(example, surroundings)


def _changed(example: SelectionExample, surroundings: edits.Surroundings) -> Iterator[SelectionExample]:
    changes, weights = [c for c, _ in QUESTION_CHANGES], [w for _, w in QUESTION_CHANGES]
    for _ in range(4):
        edited = surroundings.rng.choices(changes, weights)[0](example.question, surroundings)
        edited = edited or lower_name(example.question, surroundings)
        if edited is None:
            continue
        new = edited.text[edited.wrong[0][0] : edited.wrong[0][1]]
        # Another column or row of a table would still be there; in prose, what else it says rarely fits the question.
        if "|" in example.passage and new.lower() in example.passage.lower():
            continue
        yield replace(example, question=edited.text, answerable=0, marks=(), spans=(), kind=edited.kind)
        return


def lower_name(question: str, surroundings: edits.Surroundings) -> edits.Edited | None:
    """People type names in small letters: a name of the passage that the question has, exchanged for another of it."""
    names = sorted({m.group() for m in edits.NAME.finditer(surroundings.passage) if len(m.group()) > 3})
    asked = question.lower()
    there = [n for n in names if re.search(rf"\b{re.escape(n.lower())}\b", asked)]
    others = [n for n in names if n.lower() not in asked]
    if not there or not others:
        return None
    old, new = surroundings.rng.choice(there).lower(), surroundings.rng.choice(others).lower()
    start = asked.index(old)
    return edits.Edited(question[:start] + new + question[start + len(old) :], ((start, start + len(new)),), "name")


def without_answer(examples: Sequence[SelectionExample], rng: random.Random) -> Iterator[SelectionExample]:
    """The passage with the sentences or rows of the answer taken out."""
    for example in examples:
        if not example.answerable or not example.marks or rng.random() > (0.15 if example.set == "wtq" else 0.5):
            continue
        text = example.passage
        for start, end in sorted(example.marks, reverse=True):
            text = text[:start].rstrip(" ") + text[end:]
        said = [example.passage[a:b].lower() for a, b in example.spans or ()]
        if len(text) > 150 and not any(answer in text.lower() for answer in said):
            yield replace(example, passage=text, answerable=0, marks=(), spans=(), kind="answer removed")


def other_passages(examples: Sequence[SelectionExample], rng: random.Random) -> Iterator[SelectionExample]:
    """A passage of the same set that has the question's words and was given for another question."""
    by_set = _by_set(examples)
    stems = {id(e): set(content_stems(e.passage)) for e in examples}
    for example in examples:
        if not example.answerable or rng.random() > (0.3 if example.set in ("wtq", "ramdocs") else 0.9):
            continue
        asked = set(content_stems(example.question))
        pool = rng.sample(by_set[example.set], min(150, len(by_set[example.set])))
        said = [example.passage[a:b].lower() for a, b in example.spans or ()]
        pool = [
            o
            for o in pool
            if o.group != example.group
            and held_out_here(o.group) == held_out_here(example.group)
            and not any(len(answer) > 3 and answer in o.passage.lower() for answer in said)
        ]
        if pool:
            closest = max(pool, key=lambda o: len(asked & stems[id(o)]))
            yield replace(example, passage=closest.passage, answerable=0, marks=(), spans=(), kind="other passage")


def in_company(examples: Sequence[SelectionExample], rng: random.Random) -> Iterator[SelectionExample]:
    """The passage with another one before or after it: what is read at once is often about several things."""
    by_set = _by_set(examples)
    for example in examples:
        if example.set in ("wtq", "ragtruth") or rng.random() > 0.35:
            continue
        other = rng.choice(by_set[example.set])
        if other.group == example.group or held_out_here(other.group) != held_out_here(example.group):
            continue
        room = LONGEST_PASSAGE - len(example.passage)
        if room < 200:
            continue
        extra = other.passage[:room].rpartition("\n" if "|" in other.passage else ". ")[0]
        if not extra:
            continue
        if rng.random() < 0.5:
            yield replace(example, passage=f"{example.passage}\n{extra}", kind="in company")
        else:
            shift = len(extra) + 1
            moved = {
                name: None if spans is None else tuple((a + shift, b + shift) for a, b in spans)
                for name, spans in (("marks", example.marks), ("spans", example.spans))
            }
            yield replace(example, passage=f"{extra}\n{example.passage}", kind="in company", **moved)  # type: ignore[arg-type]


def _by_set(examples: Sequence[SelectionExample]) -> dict[str, list[SelectionExample]]:
    found: dict[str, list[SelectionExample]] = defaultdict(list)
    for example in examples:
        found[example.set].append(example)
    return found


def selections(
    data: Path, thesaurus: Thesaurus, rng: random.Random, written: Sequence[SelectionExample]
) -> Iterator[SelectionExample]:
    examples = [*real(data), *written]
    yield from examples
    yield from changed_questions(examples, thesaurus, rng)
    yield from without_answer(examples, rng)
    yield from other_passages(examples, rng)
    yield from in_company(examples, rng)
