-- title: Rows of files with the run and the judgment set that they belong to
-- columns:
--   kind       kind of the row, as in files
--   id         key of the row, as in files
--   run_id     run that it belongs to, as rankings, costs and answers do; null for none
--   qrels_id   judgment set that it belongs to, of answers the one whose nuggets they were judged by; null for none
--   file       file
--   num_rows   rows in it
-- definition: Texts of documents belong to neither.
select
    kind,
    id,
    case
        when kind in ('run', 'costs') or substr(kind, 1, 12) = 'assignments.' or substr(kind, 1, 10) = 'citations.'
        then id
    end as run_id,
    case
        when substr(kind, 1, 12) = 'assignments.' then cast(substr(kind, 13) as integer)
        when substr(kind, 1, 10) = 'citations.' then cast(substr(kind, 11) as integer)
        when kind not in ('run', 'costs', 'documents') then id
    end as qrels_id,
    file,
    num_rows
from files
