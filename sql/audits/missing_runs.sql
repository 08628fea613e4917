-- title: Rows of runs that are not there
-- quick: yes
-- columns:
--   finding    what is wrong, and where
--   num_rows   rows of the table that are concerned
-- definition: Each run_id in another table is in runs.
with used as (
    select
        'retrieved' as relation,
        run_id,
        count(*) as num_rows
    from retrieved
    group by run_id
    union all
    select
        'run_topics' as relation,
        run_id,
        count(*) as num_rows
    from run_topics
    group by run_id
    union all
    select
        'evaluations' as relation,
        run_id,
        count(*) as num_rows
    from evaluations
    group by run_id
    union all
    select
        'stored_scores' as relation,
        run_id,
        count(*) as num_rows
    from stored_scores
    group by run_id
    union all
    select
        'files' as relation,
        id as run_id,
        count(*) as num_rows
    from files
    where kind = 'run'
    group by id
)
select
    concat(used.relation, ' has rows of run #', used.run_id, ', which is not in runs') as finding,
    used.num_rows
from used
left join runs on runs.run_id = used.run_id
where runs.run_id is null
