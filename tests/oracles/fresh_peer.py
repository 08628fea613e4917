"""ir_measures asked in a process that has asked nothing else.

pytrec_eval has parameters of measures that all evaluators of a process share, so that two evaluators can give
each other's values; which of them does depends on where memory lies.
"""

from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import repeat
from multiprocessing import get_context

import ir_measures

Values = dict[str, float]


@cache
def processes() -> ProcessPoolExecutor:
    context = get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return ProcessPoolExecutor(1, mp_context=context, max_tasks_per_child=1)


def calculated(spelling: str, qrels: Mapping[str, Mapping[str, int]], run: Mapping[str, Mapping[str, float]]) -> Values:
    return {m.query_id: m.value for m in ir_measures.iter_calc([ir_measures.parse_measure(spelling)], qrels, run)}


def asked_alone(
    spellings: list[str], qrels: Mapping[str, Mapping[str, int]], run: Mapping[str, Mapping[str, float]]
) -> dict[str, Values]:
    """ir_measures' values by the spelling and the topic; topics that the run leaves out are there."""
    return dict(zip(spellings, processes().map(calculated, spellings, repeat(qrels), repeat(run)), strict=True))
