-- title: What relevant_ranks is expected to give over all orders of tied documents
-- definition: Each of a tie's documents stands at each of its ranks with the same probability. Beside a relevant
--    document the others of the tie are spread evenly over the remaining ranks.
-- parameters: rel, judged_only
-- columns:
--   evaluation_id   key of the evaluation
--   rank            a rank of a tie that holds relevant documents
--   judged_rank     null
--   relevant_rank   relevant documents expected down to it if one stands there
--   share           probability that one does
with ties as (
    select
        evaluation_id,
        first_rank,
        last_rank,
        num_rel,
        rel_above
    from relevant_ties(rel := $rel, judged_only := $judged_only)
)
select
    evaluation_id,
    first_rank as rank,
    cast(null as integer) as judged_rank,
    cast(rel_above + 1 as double) as relevant_rank,
    cast(1 as double) as share
from ties
where first_rank = last_rank
union all
select
    ties.evaluation_id,
    ranks_to_longest.rank as rank,
    cast(null as integer) as judged_rank,
    ties.rel_above
        + 1
        + cast(ranks_to_longest.rank - ties.first_rank as double)
        * (ties.num_rel - 1)
        / (ties.last_rank - ties.first_rank) as relevant_rank,
    ties.num_rel / (ties.last_rank - ties.first_rank + 1) as share
from ties
join ranks_to_longest on ranks_to_longest.rank between ties.first_rank and ties.last_rank
where ties.first_rank < ties.last_rank
