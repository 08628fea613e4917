"""Runs, judgments, topics, weights, values and what was judged of answers as files of the formats that are loaded."""

import json
import shlex
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from evalsql.database.database import Database
from evalsql.database.names import Names, named, only_qrels, replaced_qrels, resolve_names
from evalsql.errors import UsageError
from evalsql.evaluation.stored_scores import check_rankings, with_rankings
from evalsql.ingest.base_rows import OF_ANSWERS
from evalsql.literals import literal, quoted

# By what is exported the formats, each with the extension of its files.
FORMATS: Mapping[str, Mapping[str, str]] = {
    "runs": {"trec": ".run", "beir": ".json", "parquet": ".parquet", "jsonl": ".jsonl"},
    "qrels": {"trec": ".qrels", "beir": ".tsv", "parquet": ".parquet", "jsonl": ".jsonl"},
    "scores": {"parquet": ".parquet", "jsonl": ".jsonl"},
    "topics": {"jsonl": ".jsonl", "beir": ".jsonl"},
    "weights": {"trec": ".txt"},
    "assignments": {"jsonl": ".jsonl", "parquet": ".parquet"},
    "citations": {"jsonl": ".jsonl", "parquet": ".parquet"},
}
OF_RUNS = ("runs", *OF_ANSWERS)  # what is exported by names of runs
_COLUMNS = {"assignments": "nugget, assignment", "citations": "sentence, document, support"}
_OF_SAMPLES = {
    "strata": ["topic", "iteration", "document", "stratum", "grade"],
    "probabilities": ["topic", "document", "grade", "method", "probability"],
}
_OF_SPANS = ("parquet", "jsonl")  # formats that have spans
_ODD = r"[ \t\n\x0B\f\r]"  # what C takes for white space, which ends a column
_MISTAKEN = "#\ufeff"  # what the first column cannot begin with: a comment, or a byte-order mark


class Written(NamedTuple):
    num_rows: int
    remarks: Sequence[str] = ()  # what does not go into the format


def names_of(database: Database, kind: str, names: Names) -> list[str]:
    """The runs or judgment sets that names stand for, by default all; runs without rows are left out with a warning."""
    if kind != "runs":
        return sorted(resolve_names(database, "run" if kind in OF_RUNS else "qrels", names or "*"))
    check_rankings(database, "a file of a run", names)
    return with_rankings(database, sorted(resolve_names(database, "run", names or "*")))


def format_of(kind: str, form: str | None, path: Path | None) -> str:
    """The format that was asked for, or else that of the file's extension, or else the first that there is."""
    known = FORMATS[kind]
    suffix = path.suffix.lower() if path else ""
    chosen = form or next((name for name, extension in known.items() if extension == suffix), next(iter(known)))
    if chosen not in known:
        raise UsageError(f"{kind} are written as {', '.join(known)}, and {chosen} is none of them")
    return chosen


def write(database: Database, kind: str, name: str, form: str, path: Path, qrels: str | None = None) -> Written:
    """Write one file of these; ``qrels`` says by which nuggets answers were judged, where there are several sets."""
    if kind in OF_ANSWERS:
        return _answers(database, kind, name, form, path, qrels)
    return {"runs": _run, "qrels": _qrels, "topics": _topics, "weights": _weights}[kind](database, name, form, path)


def write_query(database: Database, query: str, form: str, path: Path) -> int:
    return database.copy(query, path, "format parquet, compression zstd" if form == "parquet" else "format json")


def _run(database: Database, name: str, form: str, path: Path) -> Written:
    columns, held, order = "document, rank, score", "rankings", "rank"
    query = "select run_id, tag, tie_rule, lower_is_better, meta from runs where run = ?"
    ((run_id, tag, tie_rule, lower, meta),) = database.rows(query, [name])
    has_calls, has_spans = (
        bool(database.rows(f"select 1 from {table} where run_id = {run_id} limit 1"))
        for table in ("call_ranks", "retrieved_spans")
    )
    again = []
    if has_calls and form in ("parquet", "jsonl"):
        columns = "coalesce(call_name, cast(call as varchar)) as call, document, rank, score"
        held, order = named("call_ranks", "runs", "topics", "documents"), "call_ranks.call, rank"
        again += ["--call", "call"]
    if has_spans and form in _OF_SPANS:
        columns, held = "document, span_start, span_end, rank, score", "span_rankings"
        again += [word for key in ("collapse", "unit") if key in meta for word in (f"--{key}", meta[key])]
    rows = f"select topic, {columns} from {held} where run = {literal(name)} order by topic, {order}"
    usual = "trec_eval_10" if lower else "trec_eval"
    if lower:
        again.append("--lower-is-better")
    if tie_rule != usual:
        again += ["--tie-rule", tie_rule]
    remarks = [f"evalsql load runs takes {shlex.join(again)} to rank it as it is here"] if again else []
    if has_calls and "call_ranks" not in held:
        remarks.append("it has the one ranking that is made of the calls; parquet and jsonl have the calls")
    if has_spans and held != "span_rankings":
        remarks.append(f"its spans do not go into the format {form}; {', '.join(_OF_SPANS)} have them")
    if form == "trec":
        tag = "_".join((tag or name).split()) or "run"
        lines = f"select topic, 'Q0' as q0, document, rank, score, {literal(tag)} as tag from ({rows})"
        return Written(_text(database, lines, ["topic", "document"], path), remarks)
    if form != "beir":
        return Written(write_query(database, rows, form, path), remarks)
    found = database.rows(f"select topic, document, score from ({rows})")
    topics = (
        f"{json.dumps(topic)}: {json.dumps({document: score for _, document, score in inner}, ensure_ascii=False)}"
        for topic, inner in groupby(found, itemgetter(0))
    )
    path.write_text("{" + ",\n".join(topics) + "}\n", encoding="utf-8")
    return Written(len(found), remarks)


def _qrels(database: Database, name: str, form: str, path: Path) -> Written:
    ((kind,),) = database.rows("select form from qrels where qrels = ?", [name])
    columns, held, order = ["topic", "iteration", "document", "grade"], "judgments", "topic, iteration, document"
    if kind == "nuggets":
        columns, order = ["topic", "nugget", "importance", "text"], "topic, nugget"
        held = named("nuggets", "qrels", "topics")
    elif kind == "preferences":
        columns = ["topic", "judgment_group", "subgroup", "document", "level"]
        held = named("preferences", "qrels", "topics", "documents")
        order = "topic, judgment_group, subgroup, level desc, document"
    elif kind == "spans":
        columns, held = ["topic", "document", "span_start", "span_end", "grade"], "span_judgments"
        order = "topic, document, span_start, span_end"
    elif kind in _OF_SAMPLES:
        samples = named("judgment_samples", "assessments", "qrels", "topics", "documents")
        columns, held = _OF_SAMPLES[kind], f"(select *, stratum as method from {samples})"
    rows = f"select {', '.join(columns)} from {held} where qrels = {literal(name)} order by {order}"
    remarks = [] if kind == "grades" else [f"evalsql load qrels takes --form {shlex.quote(kind)} for it"]
    if kind == "spans":
        ((unit,),) = database.rows("select meta['unit'] from qrels where qrels = ?", [name])
        remarks = [remarks[0] + (f", with --unit {shlex.quote(unit)}" if unit else "")]
    formats = {"spans": _OF_SPANS, "nuggets": ("parquet", "jsonl")}.get(kind, ("parquet", "jsonl", "trec"))
    if kind != "grades" and form not in formats:
        has = ", ".join(formats)
        raise UsageError(f"judgments {name} hold {kind}, which the format {form} has not; {has} have")
    if form == "trec":
        names = [each for each in columns if each not in ("grade", "level", "probability")]
        return Written(_text(database, rows, names, path), remarks)
    if form == "beir":
        ((others,),) = database.rows(f"select count(*) from ({rows}) where iteration <> '0'")
        remarks = [f"the iteration of {others:,} judgments does not go into the format beir"] if others else []
        lines = f'select topic as "query-id", document as "corpus-id", grade as score from ({rows})'
        return Written(database.copy(lines, path, "format csv, header true, delimiter '\t'"), remarks)
    return Written(write_query(database, rows, form, path), remarks)


def _text(database: Database, lines: str, names: Sequence[str], path: Path) -> int:
    """Columns with a blank between them, as trec_eval reads them; refuses a name that would be read as another."""
    columns, mistaken = ", ".join(map(quoted, names)), ", ".join(map(literal, _MISTAKEN))
    odd = f"name = '' or regexp_matches(name, {literal(_ODD)}) or (place = 1 and left(name, 1) in ({mistaken}))"
    listed = f"select unnest([{columns}]) as name, unnest(range(1, {len(names) + 1})) as place from ({lines})"
    if found := database.rows(f"select name from ({listed}) where {odd} limit 1"):
        raise UsageError(
            f"{found[0][0]!r} cannot be written to a TREC file, whose columns end at white space and whose comments "
            "begin with #; --format parquet or jsonl takes every name"
        )
    return database.copy(lines, path, "format csv, header false, delimiter ' ', quote '', escape ''")


def _topics(database: Database, name: str, form: str, path: Path) -> Written:
    facts_held = f"select topic, key, value from {named('topic_meta', 'topics', 'qrels')}"
    found = database.rows(f"{facts_held} where qrels = ? order by topic, key", [name])
    if not found:
        raise UsageError(f"no text or group of the topics of {name} is here; evalsql load topics brings them")
    records: list[dict[str, Any]] = []
    for topic, facts in groupby(found, itemgetter(0)):
        fields = {key: value for _, key, value in facts}
        if form == "beir":
            records.append({"_id": topic, "text": fields.pop("text", ""), "metadata": fields})
        else:
            records.append({"topic": topic, **fields})
    path.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records), encoding="utf-8")
    return Written(len(records))


def _weights(database: Database, name: str, _: str, path: Path) -> Written:
    lines = f"""
        select topic, weight from {named("topic_weights", "topics", "qrels")}
        where qrels = {literal(name)} order by topic"""
    if not (count := _text(database, lines, ["topic"], path)):
        raise UsageError(f"no topic of {name} was given a weight")
    return Written(count)


def _answers(database: Database, kind: str, name: str, form: str, path: Path, qrels: str | None) -> Written:
    held = named(OF_ANSWERS[kind], "runs", "qrels", "topics", beside=["rowid"])
    found = {*database.column(f"select distinct qrels from {held} where run = ?", [name])}
    several = f"{name} has {kind} by several sets of nuggets, name one with --qrels"
    judged = only_qrels(database, qrels, several, sorted(found - replaced_qrels(database) or found) or [""])
    if judged not in found:
        by = f" by {judged}" if judged else ""
        raise UsageError(f"{name} has no {kind}{by}; evalsql load {kind} brings them")
    rows = f"select run, topic, {_COLUMNS[kind]} from {held} where run = {literal(name)} and qrels = {literal(judged)}"
    order = "order by topic, nugget" if kind == "assignments" else "order by topic, rowid"
    remark = f"evalsql load {kind} --qrels {shlex.quote(judged)} takes it"
    return Written(write_query(database, f"{rows} {order}", form, path), [remark])
