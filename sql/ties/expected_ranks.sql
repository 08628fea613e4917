-- title: What ordered_ranks is expected to give over all orders of tied documents
-- definition: Each of a tie's documents stands at each of its ranks with the same probability.
-- parameters: judged_only
-- columns: evaluation_id
--   document_id     key of the document; null in a tie
--   rank            a rank
--   judged_rank     null
--   relevant_rank   null
--   grade           a grade; a negative one is no judgment
--   share           documents of this grade expected at this rank
with ties as (
    select
        evaluation_id,
        first_rank,
        last_rank,
        grade,
        count(*) as num_docs
    from tied_documents(judged_only := $judged_only)
    where first_rank < last_rank
    group by evaluation_id, first_rank, last_rank, grade
)
select
    evaluation_id,
    document_id,
    rank,
    cast(null as integer) as judged_rank,
    cast(null as integer) as relevant_rank,
    grade,
    cast(1 as double) as share
from tied_documents(judged_only := $judged_only)
where first_rank = last_rank
union all
select
    ties.evaluation_id,
    cast(null as integer) as document_id,
    tie_ranks.rank,
    cast(null as integer) as judged_rank,
    cast(null as integer) as relevant_rank,
    ties.grade,
    ties.num_docs / tie_ranks.size as share
from ties
join tie_ranks(judged_only := $judged_only) as tie_ranks using (first_rank, last_rank)
