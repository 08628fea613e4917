"""Tables of sequence searches (BLAST, DIAMOND, MMseqs2, HMMER, Infernal): runs of E-values, lower ones being better."""

import re
from collections.abc import Sequence

from evalsql.database.database import Database
from evalsql.ingest.files.source import LONGEST_LINE, Source
from evalsql.ingest.files.trec_text import number_fault
from evalsql.ingest.load_options import RunOptions
from evalsql.phrases import counted

BLAST_COLUMNS = (
    *("qseqid", "sseqid", "pident", "length", "mismatch", "gapopen"),
    *("qstart", "qend", "sstart", "send", "evalue", "bitscore"),
)
_WHOLE_FROM, _WHOLE_TO = 3, 10  # the columns from length to send
# What the comments of BLAST and DIAMOND call their columns.
_FIELDS = {
    **dict.fromkeys(("query acc.ver", "query id", "query acc.", "query gi", "query seqid"), "qseqid"),
    **dict.fromkeys(("subject acc.ver", "subject id", "subject acc.", "subject gi", "subject seqid"), "sseqid"),
    **dict.fromkeys(("evalue", "e-value", "expect value", "expected value"), "evalue"),
    "bit score": "bitscore",
}
_BLAST_COMMENT = re.compile(r"#\s*(t?blast[npx]|(psi|rps|delta|mega)\S*blast\S*|diamond|fasta|query id|query:)\b", re.I)
_HMMER_COMMENT = re.compile(r"#\s*target name\s+accession\s")
_ACCESSIONS = "target_name target_accession query_name query_accession"
# Columns of HMMER's and Infernal's tables as far as the E-value, by a word of the header that only that table has.
_HMMER = {
    " tlen ": (
        "HMMER --domtblout",
        "target_name target_accession tlen query_name query_accession qlen evalue bitscore",
    ),
    " hmmfrom ": (
        "HMMER --tblout (nhmmer)",
        f"{_ACCESSIONS} hmmfrom hmm_to alifrom ali_to envfrom env_to sq_len strand evalue bitscore",
    ),
    " mdl ": (
        "Infernal --tblout",
        f"{_ACCESSIONS} mdl mdl_from mdl_to seq_from seq_to strand trunc pass gc bias bitscore evalue",
    ),
    "": ("HMMER --tblout", f"{_ACCESSIONS} evalue bitscore"),
}
NO_TARGET = "*"  # where DIAMOND reports a query that has no hit
Layout = tuple[str, Sequence[str], str]


def layout(source: Source, head: str) -> Layout | None:
    """Name, columns and delimiter of a table of alignments that starts with ``head``; None if the file is none."""
    first = head.lstrip("\ufeff\r\n ")
    if not first.startswith("#") and first.partition("\n")[0].count("\t") < len(BLAST_COLUMNS) - 1:
        return None
    found: Layout | None = None
    is_blast = False
    with source.open() as stream:
        # A search may have thousands of queries without a hit before its first row.
        for raw in iter(lambda: stream.readline(LONGEST_LINE), b""):
            line = raw.decode("utf-8-sig", "replace").rstrip("\r\n")
            if line.strip() and not line.startswith("#"):
                return found or _of_row(line, is_blast=is_blast)
            if _HMMER_COMMENT.match(line):
                name, columns = next(each for word, each in _HMMER.items() if word in line)
                return name, columns.split(), " "
            is_blast = is_blast or bool(_BLAST_COMMENT.match(line))
            if line.startswith("# Fields:"):
                found = "BLAST tabular (outfmt 7)", _fields(line), "\t"
    return found or (("BLAST tabular (outfmt 7)", BLAST_COLUMNS, "\t") if is_blast else None)


def _fields(line: str) -> Sequence[str]:
    """Names of the columns that a comment lists; of two for one thing the first has its name."""
    names: list[str] = []
    for field in line.removeprefix("# Fields:").split(","):
        text = field.strip().lower()
        name = _FIELDS.get(text, text)
        names.append(text if name in names else name)
    return names


def _of_row(line: str, *, is_blast: bool) -> Layout | None:
    columns = [column.strip() for column in line.split("\t")]
    if len(columns) < len(BLAST_COLUMNS):
        return None
    numbers = (columns[2], mended(columns[10]), columns[11])
    are_whole = all(re.fullmatch(r"-?\d+", column) for column in columns[_WHOLE_FROM:_WHOLE_TO])
    if not are_whole or any(number_fault("", number) for number in numbers):
        return None
    name = "BLAST tabular (outfmt 7)" if is_blast else "BLAST tabular (outfmt 6)"
    return name, [*BLAST_COLUMNS, *(f"column {at}" for at in range(13, len(columns) + 1))], "\t"


def mended(number: str) -> str:
    """A number as it is read; BLAST of old writes e-105 for 1e-105."""
    return re.sub(r"^e-", "1e-", number.strip())


def leave_out(database: Database, owners: str, options: RunOptions) -> list[str]:
    """Delete the staged rows that the options leave out, and return notices; ``owners`` are file_id and owner_id."""
    if not options.one_alignment and options.with_self is not False:
        return []
    staged = f"select staged_run_rows.rowid as row_id, * from staged_run_rows join ({owners}) using (file_id)"
    chosen = {"only_best": options.one_alignment, "without_self": options.with_self is False}
    chosen["lower_is_better"] = options.lower_is_better
    database.make("left_out", database.query("left_out_alignments", {"staged": staged}, **chosen))
    ((selves, others),) = database.rows("select count(*) filter (is_self), count(*) filter (not is_self) from left_out")
    database.execute("delete from staged_run_rows where rowid in (select row_id from left_out)")
    database.drop("left_out")
    told = {
        f"{counted(others, 'further alignment')} of the same pair left out, the best one being kept": others,
        f"{counted(selves, 'hit')} of the query itself left out; --with-self keeps them": selves,
    }
    return [text for text, count in told.items() if count]
