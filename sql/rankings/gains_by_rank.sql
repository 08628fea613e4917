-- title: Places of documents that have a gain, with it or with what is expected over all orders of tied documents
-- shared: yes
-- parameters: dcg, gains, judged_only, min_rel, max_rel, ties
--   min_rel integer in [0, inf) = 0          grade up to which dcg gives 0, and less by it to those above
--   max_rel integer in [0, inf) = null       grade that dcg takes greater ones for; null is none
-- columns:
--   evaluation_id   key of the evaluation
--   rank            place in the ranking
--   gain            gain of the document there; below 0 only where gains say so
with gained as (
    select
        counted_ranks.evaluation_id,
        counted_ranks.rank,
        counted_ranks.first_rank,
        counted_ranks.last_rank,
        grade_gains.gain
    from counted_ranks(judged_only := $judged_only) as counted_ranks
    join grade_gains(dcg := $dcg, gains := $gains, min_rel := $min_rel, max_rel := $max_rel) as grade_gains
        on grade_gains.grade = counted_ranks.grade
    where grade_gains.gain <> 0
),
placed as (
    -- Of tied documents those with the greatest losses stand opposite to those with the greatest gains.
    select
        evaluation_id,
        gain,
        first_rank,
        last_rank,
        row_number() over (
            partition by evaluation_id, first_rank, case when gain > 0 then 1 else 0 end
            order by abs(gain) desc
        ) as nth_of_tied,
        case when ($ties = 'best') = (gain > 0) then 1 else 0 end as from_the_top
    from gained
    where
        $ties in ('worst', 'best')
        and first_rank < last_rank
),
expected as (
    select
        evaluation_id,
        first_rank,
        last_rank,
        sum(gain) / (last_rank - first_rank + 1) as gain
    from gained
    where $ties = 'expected'
    group by evaluation_id, first_rank, last_rank
)
select
    evaluation_id,
    rank,
    gain
from gained
where
    $ties = 'rule'
    or ($ties in ('worst', 'best') and first_rank = last_rank)
union all
select
    evaluation_id,
    case
        when from_the_top = 1 then first_rank + nth_of_tied - 1
        else last_rank - nth_of_tied + 1
    end as rank,
    gain
from placed
union all
select
    evaluation_id,
    first_rank as rank,
    gain
from expected
where first_rank = last_rank
union all
select
    expected.evaluation_id,
    ranks_to_longest.rank as rank,
    expected.gain
from expected
join ranks_to_longest on ranks_to_longest.rank between expected.first_rank and expected.last_rank
where expected.first_rank < expected.last_rank
