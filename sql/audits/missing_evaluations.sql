-- title: Ranks of judged documents whose evaluation is not there
-- quick: yes
-- columns:
--   finding    what is wrong, and where
--   num_rows   ranks of that evaluation
-- definition: Each evaluation_id in judged_ranks is in evaluations.
with used as (
    select
        evaluation_id,
        count(*) as num_rows
    from judged_ranks
    group by evaluation_id
)
select
    concat('judged_ranks has rows of evaluation #', used.evaluation_id, ', which is not in evaluations') as finding,
    used.num_rows
from used
left join evaluations on evaluations.evaluation_id = used.evaluation_id
where evaluations.evaluation_id is null
