"""`python -m evals bench|eval|capacity [name …]`: measures, prints, and writes the tables of docs/benchmarks.md."""

import argparse
from collections.abc import Callable

from evals import (
    bench_api,
    bench_audit,
    bench_capacity,
    bench_cold_start,
    bench_concurrency,
    bench_embedding,
    bench_faults,
    bench_ingestion,
    bench_install,
    bench_jobs,
    bench_latency,
    bench_load,
    bench_overhead,
    bench_parsing,
    bench_ray,
    bench_ray_data,
    bench_recovery,
    bench_store,
    bench_store_server,
    eval_answers,
    eval_calibration,
    eval_conflicts,
    eval_formats,
    eval_fuzz,
    eval_given,
    eval_hostile,
    eval_layout,
    eval_limits,
    eval_model_answers,
    eval_planted_errors,
    eval_poisoned,
    eval_printed,
    eval_pruning,
    eval_retrieval,
    eval_sample,
    eval_support,
    eval_tables,
    eval_threshold,
    eval_unseen,
    eval_versions,
    eval_written_answers,
)
from evals.tables import Section, update_page

SUITES: dict[str, dict[str, Callable[[], Section]]] = {
    "bench": {
        "overhead": bench_overhead.measure,
        "cold-start": bench_cold_start.measure,
        "install": bench_install.measure,
        "latency": bench_latency.measure,
        "parsing": bench_parsing.measure,
        "embedding": bench_embedding.measure,
        "ingestion": bench_ingestion.measure,
        "store": bench_store.measure,
        "store-server": bench_store_server.measure,
        "audit": bench_audit.measure,
        "concurrency": bench_concurrency.measure,
        "jobs": bench_jobs.measure,
        "api": bench_api.measure,
        "recovery": bench_recovery.measure_recovery,
        "memory": bench_recovery.measure_memory,
        "faults": bench_faults.measure,
        "load": bench_load.measure_queue,
        "soak": bench_load.measure_soak,
        "ray": bench_ray.measure,
        "ray-data": bench_ray_data.measure,
    },
    "capacity": {"capacity": bench_capacity.measure},
    "eval": {
        "sample": eval_sample.measure,
        "support": eval_support.measure,
        "model-answers": eval_model_answers.measure,
        "written-answers": eval_written_answers.measure,
        "planted-errors": eval_planted_errors.measure,
        "conflicts": eval_conflicts.measure,
        "versions": eval_versions.measure,
        "poisoned": eval_poisoned.measure,
        "hostile": eval_hostile.measure,
        "pruning": eval_pruning.measure,
        "given": eval_given.measure,
        "confidence": eval_given.measure_confidence,
        "unseen": eval_unseen.measure,
        "answers": eval_answers.measure,
        "filings": eval_answers.measure_filings,
        "tatqa": eval_answers.measure_tables,
        "tables": eval_tables.measure,
        "formats": eval_formats.measure,
        "fuzz": eval_fuzz.measure,
        "layout": eval_layout.measure,
        "limits": eval_limits.measure,
        "printed": eval_printed.measure,
        "retrieval": eval_retrieval.measure,
        "threshold": eval_threshold.measure,
        "calibration": eval_calibration.measure,
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
        update_page(name, chosen[name])


main()
