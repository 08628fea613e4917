"""What can be damaged in a warehouse: by audit the SQL that does it, and all that the audit finds then."""

from collections.abc import Iterator
from pathlib import Path

from tests.long_cases import rows_of

T05 = """run_id = (select run_id from runs where run = 'bm25')
    and topic_id = (select topic_id from topics where topic = 'T05')"""
FIRST_JUDGED = f"rank = 1 and evaluation_id in (select evaluation_id from evaluations where {T05})"
DOCUMENT = "document_id = (select document_id from documents where document = 'doc-0481')"
PLACE = "run bm25, topic T05"
PAIR = f"{PLACE}, judgments sample"
NAMES = {
    "t05": T05,
    "evaluation": f"(select evaluation_id from evaluations where {T05})",
    "first_judged": FIRST_JUDGED,
    "grade": f"{DOCUMENT} and topic_id = (select topic_id from topics where topic = 'T23')",
    "judged_rank": f"""{DOCUMENT} and evaluation_id = (
        select evaluation_id from evaluations join runs using (run_id) join topics using (topic_id)
        where run = 'bm25' and topic = 'T23')""",
    "place": PLACE,
    "pair": PAIR,
    "sampled": """insert into judgment_samples
        select qrels_id, topic_id, document_id, if(grade < 0, 'b', 'a'), if(grade < 0, 0, 1) from judged_documents""",
    "drawn": "judgments sample, topic T23: document doc-0481",
    "no_qrels": "has rows of judgments #99, which are not in qrels",
    "judgments": "{judgments}",
    "of_run": "kind = 'run'",
    "of_set": "kind = 'topics.language'",
    "mending": ": delete from judged_ranks where evaluation_id = 99999",
}


def cases() -> Iterator[tuple[str, str, list[str]]]:
    """Audit, statements and findings of each."""
    for audit, sql, found in rows_of(Path(__file__).with_name("damage.tsv")):
        yield audit, sql.format(**NAMES), found.format(**NAMES).split("\\n")
