"""Boards of a test's own in the place of the view ``board_values``, from which all of a board starts."""

import random
from collections.abc import Mapping

import numpy as np

from evalsql import Warehouse
from evalsql.literals import literal
from tests.oracles.sampled import hash32

Cell = float | Mapping[str, float]  # a figure, or a value by topic
Board = Mapping[str, Mapping[str, Cell]]  # by system and collection; a version stands behind an @


def made(seed: int, systems: int, collections: int, topics: int = 0) -> dict[str, dict[str, Cell]]:
    """Values about a system's and a collection's own; every second collection has topics, if there are any."""
    drawing = random.Random(seed)

    def cell(system: int, collection: int) -> Cell:
        centre = 0.2 + system / 20 + collection / 40
        if topics and collection % 2:
            return {f"t{topic}": centre + drawing.gauss(0, 0.1) for topic in range(topics + collection)}
        return centre + drawing.gauss(0, 0.05)

    return {
        f"s{system:02}": {f"c{each}": cell(system, each) for each in range(collections)} for system in range(systems)
    }


def put_board(warehouse: Warehouse, board: Board, clusters: Mapping[str, str] | None = None) -> None:
    """Have these values in the place of the view, in no order; and clusters, if there are some."""
    rows = [_row(name, collection, cell) for name, cells in board.items() for collection, cell in cells.items()]
    random.Random(1).shuffle(rows)
    columns = "measure, collection, system, version, value, num_topics, topics, topic_values, dated_at, qrels, run"
    warehouse.execute(
        f"create or replace temp table board_values as select * from (values {', '.join(rows)}) as given({columns})"
    )
    named = ", ".join(f"({literal(each)}, {literal(of)})" for each, of in (clusters or {"none": "none"}).items())
    warehouse.execute(
        "create or replace temp table collection_clusters as "
        f"select * from (values {named}) as given(collection, cluster)"
    )


def _row(name: str, collection: str, cell: Cell) -> str:
    system, _, version = name.partition("@")
    given = f"'nDCG@10', {literal(collection)}, {literal(system)}, {literal(version or None)}::varchar"
    if isinstance(cell, Mapping):
        topics = sorted(cell)
        values = [cell[topic] for topic in topics]
        lists = f"{len(values)}, {topics}::varchar[], {values}::double[]"
        return f"({given}, {float(np.mean(values))!r}::double, {lists}, timestamp '2026-01-01', 'q', 'r')"
    return f"({given}, {cell!r}::double, null, null::varchar[], null::double[], timestamp '2026-01-01', null, 'r')"


def mean_of(cell: Cell) -> float:
    return float(np.mean(list(cell.values()))) if isinstance(cell, Mapping) else cell


def values_of(board: Board) -> np.ndarray:
    """Systems by collections, both in the order of their names."""
    return np.array([[mean_of(board[name][each]) for each in sorted(board[name])] for name in sorted(board)])


def drawn_means(
    board: Board, clusters: Mapping[str, str], samples: int, seed: int, *, micro: bool = False
) -> np.ndarray:
    """Samples by systems: the means in the very samples that the relation draws, by plain loops."""
    names, collections = sorted(board), sorted({each for cells in board.values() for each in cells})
    of = {each: clusters.get(each, each) for each in collections}
    groups = sorted({*of.values()})
    found = []
    for draw in range(1, samples + 1):
        key = hash32(seed, draw)
        totals, weights = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
        for pick in range(1, len(groups) + 1):
            pick_key = hash32(key, pick)
            for at, collection in enumerate(collections, start=1):
                if of[collection] == groups[pick_key % len(groups)]:
                    for name in names:
                        cell = board[name].get(collection)
                        if cell is not None:
                            mean, size = _drawn_cell(cell, hash32(pick_key, at), seed)
                            totals[name] += mean * (size if micro else 1)
                            weights[name] += size if micro else 1
        found.append([totals[name] / weights[name] if weights[name] else np.nan for name in names])
    return np.array(found)


def _drawn_cell(cell: Cell, key: int, seed: int) -> tuple[float, int]:
    if not isinstance(cell, Mapping):
        return cell, 1
    topics, n = sorted(cell), len(cell)
    # Topics stand in an order by lot, where that of place 1 follows the first of them.
    order = sorted(range(1, n + 1), key=lambda place: hash32(seed, place))
    units = {nth % n: topics[place - 1] for nth, place in enumerate(order, start=1)}
    return float(np.mean([cell[units[hash32(key, each) % n]] for each in range(1, n + 1)])), n


def load_figures(warehouse: Warehouse, board: Board, measure: str = "nDCG@10") -> None:
    """Keep figures without topics as a load of result files does: a run for each system's version and collection."""
    rows: list[str] = []
    ((first,),) = warehouse.rows("select coalesce(max(run_id), 0) + 1 from runs")
    for name, cells in board.items():
        system, _, version = name.partition("@")
        for collection, value in cells.items():
            meta = {"system": system, "collection": collection} | ({"version": version} if version else {})
            given = f"{literal(f'{name} on {collection}')}, map({[*meta]}, [{', '.join(map(literal, meta.values()))}])"
            rows.append(f"({first + len(rows)}, {given}, {value!r}::double)")
    listed = f"(values {', '.join(rows)}) as given(run_id, run, meta, value)"
    warehouse.execute(
        "insert into runs by name select run_id, run, meta, 0 as num_tags, 'unknown' as tie_rule, "
        "false as lower_is_better, 0 as duplicates, '' as comments, timestamp '2026-03-01' as loaded_at, "
        f"'' as evalsql_version from {listed}"
    )
    warehouse.execute(f"insert into collection_scores select run_id, '{measure}', value from {listed}")
