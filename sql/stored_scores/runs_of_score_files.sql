-- title: Runs of staged scores with the files that hold them, where nothing more is known of the runs
-- inputs: staged, score_files
-- columns:
--   run               name of the run
--   qrels             name of the judgment set
--   qrels_sha256      checksum of the judgments: null, since it is unknown
--   tie_rule          how documents were ordered: unknown
--   lower_is_better   whether a smaller score is the better one: false
--   path              file with scores of the run
--   sha256            its checksum
--   bytes             its size
--   num_rows          how many of its rows are of the run
select
    staged.run,
    staged.qrels,
    cast(null as varchar) as qrels_sha256,
    'unknown' as tie_rule,
    false as lower_is_better,
    score_files.path,
    score_files.sha256,
    score_files.bytes,
    count(*) as num_rows
from staged
join score_files on score_files.path = staged.file
group by
    staged.run, staged.qrels, score_files.path, score_files.sha256, score_files.bytes
