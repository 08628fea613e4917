-- title: How much a judgment set holds, and when the newest of what is compared was loaded
-- inputs: chosen_runs
-- parameters:
--   qrels varchar = null   judgment set
-- columns:
--   num_judgments   judged documents, or nuggets, over all topics
--   num_grades      different grades from 0 among them
--   loaded_on       the day on which the judgments or the last of the runs were loaded
with judged as (
    select
        qrels_id,
        grade
    from judged_documents
    union all
    select
        qrels_id,
        cast(null as integer) as grade
    from nuggets
)
select
    count(*) as num_judgments,
    count(distinct case when judged.grade >= 0 then judged.grade end) as num_grades,
    strftime(
        greatest(
            max(qrels.loaded_at),
            (
                select max(runs.loaded_at)
                from runs
                join chosen_runs using (run)
            )
        ),
        '%-d %B %Y'
    ) as loaded_on
from judged
join qrels using (qrels_id)
where qrels.qrels = $qrels
