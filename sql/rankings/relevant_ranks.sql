-- title: Ranks of the relevant documents retrieved, with how many of them stand down to each
-- ties: expected = expected_relevant_ranks
-- parameters: rel, judged_only, ties
-- columns: evaluation_id
--   rank            rank of a relevant document
--   judged_rank     documents with a grade of 0 or more down to it; null of what is expected
--   relevant_rank   relevant documents down to it, itself among them
--   share           1; or the number of relevant documents expected at this rank of a tie
select
    evaluation_id,
    rank,
    judged_rank,
    -- How many have a grade of 1 or more is stored with each judged document. Those of another grade are counted here.
    case
        when $rel = 1 then relevant_rank
        else row_number() over (
            partition by evaluation_id
            order by rank
        )
    end as relevant_rank,
    share
from ordered_ranks(judged_only := $judged_only, ties := $ties)
where grade >= $rel
