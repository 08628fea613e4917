-- title: What subtopic_ranks is expected to give over all orders of tied documents
-- definition: As in expected_relevant_ranks.
-- parameters: rel, judged_only
-- columns:
--   evaluation_id    key of the evaluation
--   subtopic         iteration of the judgments, which names the subtopic
--   rank             a rank of a tie that holds documents relevant to it
--   relevant_rank    documents relevant to it expected down to one that stands there
--   share            number of documents relevant to it expected there
with ties as (
    select
        evaluation_id,
        subtopic,
        first_rank,
        last_rank,
        num_rel,
        rel_above
    from subtopic_ties(rel := $rel, judged_only := $judged_only)
)
select
    evaluation_id,
    subtopic,
    first_rank as rank,
    cast(rel_above + 1 as double) as relevant_rank,
    cast(1 as double) as share
from ties
where first_rank = last_rank
union all
select
    ties.evaluation_id,
    ties.subtopic,
    ranks_to_longest.rank as rank,
    ties.rel_above
        + 1
        + cast(ranks_to_longest.rank - ties.first_rank as double)
        * (ties.num_rel - 1)
        / (ties.last_rank - ties.first_rank) as relevant_rank,
    ties.num_rel / (ties.last_rank - ties.first_rank + 1) as share
from ties
join ranks_to_longest on ranks_to_longest.rank between ties.first_rank and ties.last_rank
where ties.first_rank < ties.last_rank
