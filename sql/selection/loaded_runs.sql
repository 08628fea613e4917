-- title: What there is to say of runs that were loaded
-- inputs: loaded
-- columns:
--   num_ret      documents retrieved
--   duplicates   rows left out as repeated documents
--   num_alone    runs that no judgment set evaluates
--   num_lines    comment and header lines kept with them
--   num_mixed    runs whose file has several tags
with lengths as (
    select
        run_topics.run_id,
        sum(run_topics.num_ret) as num_ret
    from run_topics
    group by run_topics.run_id
)
select
    cast(sum(lengths.num_ret) as bigint) as num_ret,
    cast(sum(runs.duplicates) as bigint) as duplicates,
    count(case when runs.run_id not in (select evaluations.run_id from evaluations) then 1 end) as num_alone,
    cast(
        sum(case when runs.comments = '' then 0 else len(string_split(runs.comments, chr(10))) end) as bigint
    ) as num_lines,
    count(case when runs.num_tags > 1 then 1 end) as num_mixed
from loaded
join runs on runs.run = loaded.run
left join lengths on lengths.run_id = runs.run_id
