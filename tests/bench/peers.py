"""Other programs on the same files: timed in processes of their own, and told when they are not here."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tests.bench.collection import Collection
from tests.bench.machine import installed_version
from tests.bench.processes import Outcome, run
from tests.bench.report import Measured
from tests.bench.stage import Stage, measured

PACKAGES = {"pytrec_eval": "pytrec-eval-terrier", "ir_measures": "ir-measures", "ranx": "ranx"}


@dataclass(frozen=True)
class PeerTimes:
    """A peer's seconds on a collection, by parts; all empty where it could not be run, for a reason."""

    name: str
    missing: str = ""
    outcomes: Sequence[Outcome] = ()

    @property
    def whole(self) -> Measured | None:
        """From the start of its process to the end."""
        return measured(self.outcomes) if self.outcomes else None

    def part(self, *names: str) -> Measured | None:
        """Seconds of its ``judgments``, ``reading`` or ``scoring``, added up."""
        if not self.outcomes:
            return None
        times = [seconds for outcome in self.outcomes for seconds in json.loads(outcome.output)]
        return Measured([sum(seconds[name] for name in names) for seconds in times])

    @property
    def work(self) -> Measured | None:
        """Reading and scoring, without starting Python and importing."""
        return self.part("judgments", "reading", "scoring")

    def as_json(self) -> dict[str, object]:
        if not self.outcomes:
            return {"missing": self.missing}
        parts = {name: self._seconds(name) for name in ("judgments", "reading", "scoring")}
        whole = self.whole
        assert whole is not None
        return {
            **parts,
            "whole_process": list(whole.values),
            "user_cpu_seconds": list(whole.user),
            "peak_memory_bytes": whole.peak,
        }

    def _seconds(self, name: str) -> list[float]:
        part = self.part(name)
        return list(part.values) if part else []


class Peers:
    """Each peer's times on each collection, measured when first asked for."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.measured: dict[tuple[str, str], PeerTimes] = {}

    def on(self, peer: str, collection: Collection) -> PeerTimes:
        key = (peer, str(collection.qrels))
        if key not in self.measured:
            self.measured[key] = self._times(peer, collection)
        return self.measured[key]

    @cached_property
    def program(self) -> Path | None:
        """The C program trec_eval, if the environment names it."""
        name = os.environ.get("TREC_EVAL")
        return Path(name).resolve() if name else None

    def side_by_side(self, collection: Collection, measure: str) -> PeerTimes:
        """The C program once for each run, two at a time, as a shell starts it."""
        if self.program is None:
            return PeerTimes("trec_eval", "not measured: TREC_EVAL names no program")
        if not os.access(self.program, os.X_OK):
            return PeerTimes("trec_eval", f"not measured: TREC_EVAL names no program that runs: {self.program}")
        listed = self.stage.folder / "runs.list"
        listed.write_text("".join(f"{path}\n" for path in collection.runs))
        words = [self.program, "-q", "-m", measure, collection.qrels]
        command = f"xargs -a {listed} -P2 -I RUN {shlex.join(map(str, words))} RUN > /dev/null"
        outcomes = []
        for number in range(1, self.stage.sizes.repeat + 1):
            self.stage.say(f"trec_eval -m {measure} ({number} of {self.stage.sizes.repeat})")
            outcomes.append(run(["/bin/sh", "-c", command]))
        return PeerTimes("trec_eval", outcomes=outcomes)

    def _times(self, peer: str, collection: Collection) -> PeerTimes:
        if installed_version(PACKAGES[peer]) is None:
            return PeerTimes(peer, f"not measured: {PACKAGES[peer]} is not installed (pip install '.[bench]')")
        # ranx is compiled anew in each process, which takes far longer than its work.
        processes, repeat = (1, self.stage.sizes.repeat) if peer == "ranx" else (self.stage.sizes.repeat, 1)
        outcomes = []
        for number in range(1, processes + 1):
            self.stage.say(f"{peer} on {collection.kind} ({number} of {processes})")
            command = ["-m", "tests.bench.peer_work", peer, repeat, collection.qrels, *collection.runs]
            outcomes.append(self.stage.python(*command))
        return PeerTimes(peer, outcomes=outcomes)
