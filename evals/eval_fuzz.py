"""Damaged files through the sandbox, as a table of the figures of `python -m evals.fuzz_formats`."""

from evals.fuzz_formats import MAX_GROWTH_MB, good_files, run
from evals.tables import Section, machine, table

COUNT = 10_000
SEED = 1


def measure() -> Section:
    files = good_files()
    tally = run(files, COUNT, SEED, is_reporting=True)
    if tally.unexpected or tally.growth_mb > MAX_GROWTH_MB:
        raise RuntimeError(f"the sandbox did not hold: {tally.unexpected or tally.memory_mb}")
    rows = [[outcome, f"{count:,}"] for outcome, count in tally.outcomes.most_common()]
    rows += [
        ["unexpected (a crash of the parent, a hang, a refusal without words)", "0"],
        [
            "memory of the parent, after 200 files and at the end",
            f"{tally.memory_mb[0]:.0f} → {tally.memory_mb[-1]:.0f} MB",
        ],
        ["slowest file", f"{tally.slowest[0]:.1f} s"],
    ]
    body = (
        f"{COUNT:,} files made from {len(files)} good ones by bit flips, truncation and splices (seed {SEED}), each "
        f"read in the sandbox; {machine()}. Anything unexpected fails the run.\n\n{table(['', 'files'], rows)}"
    )
    return Section("fuzz", "Damaged files", body)
