-- title: What gains_by_rank gives where tied documents stand in their worst or their best order
-- definition: The best order of a tie has gains at its top, the greatest first, and losses at its bottom, the greatest
--    last; the worst order is its reverse.
-- parameters: dcg, gains, judged_only, min_rel, max_rel, ties in {worst, best} = best
--   min_rel integer in [0, inf) = 0          grade up to which dcg gives 0, and less by it to those above
--   max_rel integer in [0, inf) = null       grade that dcg takes greater ones for; null is none
-- columns: evaluation_id
--   rank    a rank
--   gain    gain of the document there; below 0 only where gains say so
--   share   1
with gained as (
    select
        tied_documents.evaluation_id,
        tied_documents.rank,
        tied_documents.first_rank,
        tied_documents.last_rank,
        grade_gains.gain
    from tied_documents(judged_only := $judged_only) as tied_documents
    join grade_gains(dcg := $dcg, gains := $gains, min_rel := $min_rel, max_rel := $max_rel) as grade_gains
        using (grade)
    where grade_gains.gain <> 0
),
numbered as (
    select
        *,
        row_number() over (
            partition by evaluation_id, first_rank, case when gain > 0 then 1 else 0 end
            order by abs(gain) desc
        ) as number_in_tie,
        case when ($ties = 'best') = (gain > 0) then 1 else 0 end as from_the_top
    from gained
    where first_rank < last_rank
)
select
    evaluation_id,
    rank,
    gain,
    cast(1 as double) as share
from gained
where first_rank = last_rank
union all
select
    evaluation_id,
    case
        when from_the_top = 1 then first_rank + number_in_tie - 1
        else last_rank - number_in_tie + 1
    end as rank,
    gain,
    cast(1 as double) as share
from numbered
