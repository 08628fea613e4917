-- title: Ranks of the relevant documents retrieved, with how many of them stand down to each
-- ties: expected = expected_relevant_ranks
-- parameters: rel, ties
-- columns:
--   evaluation_id   key of the evaluation
--   rank            a rank
--   probability     that a relevant document stands there: 1 but for what is expected
--   relevant_rank   relevant documents down to it if one does
select
    evaluation_id,
    rank,
    cast(1 as double) as probability,
    -- The usual count comes with the ranks; any other one is taken down the ranking.
    case
        when $rel = 1 then relevant_rank
        else row_number() over (
            partition by evaluation_id
            order by rank
        )
    end as relevant_rank
from ordered_ranks(ties := $ties)
where grade >= $rel
