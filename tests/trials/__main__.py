"""``python -m tests.trials`` runs every trial, ``python -m tests.trials NAME [COUNT]`` one of them, so many times.

A trial prints counts and returns how many went wrong.
"""

import sys

from tests.trials import boards, corrected, gate, holes, loads, samples, sandbox, served, spans, team

TRIALS = {
    **{trial.__name__: trial for trial in (loads.first_uses, loads.full_disks, loads.interrupts, loads.kills)},
    **{
        module.__name__.rpartition(".")[2]: module.main
        for module in (boards, corrected, gate, holes, samples, sandbox, served, spans, team)
    },
}


def run(name: str, *count: str) -> int:
    """Run one trial; how many went wrong."""
    print(f"{name}:", flush=True)
    return int(TRIALS[name](*map(int, count)))


if __name__ == "__main__":
    chosen = [sys.argv[1:]] if sys.argv[1:] else [[name] for name in sorted(TRIALS)]
    sys.exit(min(1, sum(run(*words) for words in chosen)))
