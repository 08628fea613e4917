-- title: Rank of the first relevant document of each ranking
-- ties: expected = first_relevant_probabilities
-- parameters: rel, judged_only, ties
-- columns:
--   evaluation_id   key of the evaluation; there is no row where no relevant document is retrieved
--   rank            rank of the first relevant document
--   share           1; or the probability that it stands at this rank of a tie
select
    evaluation_id,
    min(rank) as rank,
    cast(1 as double) as share
from ordered_ranks(judged_only := $judged_only, ties := $ties)
-- Which is the first with a grade of 1 or more is stored. By <= the engine expects more rows than by =, so that it takes
-- those of the asked runs from the table, not all.
where
    grade >= $rel
    and ($rel <> 1 or relevant_rank <= 1)
group by evaluation_id
