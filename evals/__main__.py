"""`python -m evals bench|eval [name …]`: measures, prints, and writes the tables of docs/benchmarks.md."""

import argparse
from collections.abc import Callable

from evals import (
    bench_cold_start,
    bench_install,
    bench_latency,
    bench_overhead,
    eval_planted_errors,
    eval_sample,
    eval_silence,
    eval_unseen,
)
from evals.tables import Section, write_sections

SUITES: dict[str, dict[str, Callable[[], Section]]] = {
    "bench": {
        "overhead": bench_overhead.measure,
        "cold-start": bench_cold_start.measure,
        "install": bench_install.measure,
        "latency": bench_latency.measure,
    },
    "eval": {
        "sample": eval_sample.measure,
        "planted-errors": eval_planted_errors.measure,
        "silence": eval_silence.measure,
        "unseen": eval_unseen.measure,
    },
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evals", description=__doc__)
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("names", nargs="*", help="which of them; all when none is named")
    given = parser.parse_args()
    chosen = SUITES[given.suite]
    unknown = set(given.names) - set(chosen)
    if unknown:
        parser.error(f"no {', '.join(sorted(unknown))} among {', '.join(chosen)}")
    for name in given.names or chosen:
        section = chosen[name]()
        print(section.markdown)
        write_sections([section])


main()
