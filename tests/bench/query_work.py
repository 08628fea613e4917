"""Asks an open warehouse for measures: ``python -m tests.bench.query_work DB REPEAT RUN|- MEASURE...``.

Prints the seconds of each time as JSON, of one more than asked for: the first also reads from the file.
"""

from __future__ import annotations

import json
import sys
import time

import evalsql


def main() -> None:
    database, repeat, run, *measures = sys.argv[1:]
    seconds = []
    with evalsql.open(database, read_only=True) as warehouse:
        for _ in range(int(repeat) + 1):
            start = time.perf_counter()
            warehouse.evaluate(measures, runs=[] if run == "-" else [run]).fetchall()
            seconds.append(time.perf_counter() - start)
    print(json.dumps(seconds))


if __name__ == "__main__":
    main()
