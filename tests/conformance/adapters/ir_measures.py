"""ir-measures: one name for the measures of many programs, its providers."""

import ir_measures as package

from tests.conformance.adapters.common import Qrels, Run


def value(qrels: Qrels, run: Run, measure: str) -> float | None:
    try:
        parsed = package.parse_measure(measure)
    except (NameError, ValueError):
        return None
    if not any(provider.supports(parsed) for provider in package.DefaultPipeline.providers):
        return None
    numbers = {topic: str(number) for number, topic in enumerate({**qrels, **run})}  # gdeval takes no other names
    judged, retrieved = ({numbers[topic]: each for topic, each in rows.items()} for rows in (qrels, run))
    return float(package.calc_aggregate([parsed], judged, retrieved)[parsed])
