-- title: The files that a judgment set and the weights of its topics were loaded from
-- parameters:
--   qrels varchar = null   judgment set
-- columns: qrels
--   form              grades, groups, preferences, spans, strata or probabilities
--   kind              qrels or weights
--   file              file that it was loaded from; null for rows from memory
--   sha256            checksum of the file
--   num_rows          rows of the file
--   loaded_at         when the judgments were loaded
--   evalsql_version   version that loaded them
select
    qrels.qrels,
    qrels.form,
    files.kind,
    files.file,
    files.sha256,
    files.num_rows,
    qrels.loaded_at,
    qrels.evalsql_version
from qrels
left join files
    on files.kind in ('qrels', 'weights')
    and files.id = qrels.qrels_id
where qrels.qrels = $qrels
