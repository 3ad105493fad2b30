"""DBOS with jobs that do nothing: CPU milliseconds per job, one figure a round. Run by bench_jobs."""

import json
import sys
import time

from dbos import DBOS, DBOSConfig


@DBOS.step()
def step(number: int) -> int:
    return number


@DBOS.workflow()
def job(number: int) -> int:
    return step(number)


def main(url: str, jobs: int, rounds: int) -> None:
    config: DBOSConfig = {
        "name": "bench",
        "system_database_url": url,
        "run_admin_server": False,
        "log_level": "ERROR",
    }
    DBOS(config=config)
    DBOS.launch()
    figures = []
    for _ in range(rounds):
        started = time.process_time()
        for handle in [DBOS.start_workflow(job, number) for number in range(jobs)]:
            handle.get_result()
        figures.append((time.process_time() - started) / jobs * 1000)
    DBOS.destroy()
    print(json.dumps(figures))


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
