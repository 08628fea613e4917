-- title: What ordered_ranks gives where tied documents stand in their worst or their best order
-- definition: The best order of a tie has the higher grades above the lower ones, and documents that nobody judged
--    below all of them; the worst order is its reverse.
-- parameters: judged_only, ties in {worst, best} = best
-- columns:
--   evaluation_id   key of the evaluation
--   document_id     key of the document
--   rank            its rank in that order
--   judged_rank     documents with a grade of 0 or more down to it; 0 where its own grade is negative
--   relevant_rank   documents with a grade of 1 or more down to it; 0 where its own grade is below
--   grade           its grade; a negative one is no judgment
with numbered as (
    select
        evaluation_id,
        document_id,
        first_rank,
        last_rank,
        grade,
        row_number() over (
            partition by evaluation_id, first_rank
            order by grade desc, rank
        ) as number_in_tie
    from tied_documents(judged_only := $judged_only)
),
ranked as (
    select
        evaluation_id,
        document_id,
        case when $ties = 'best' then first_rank + number_in_tie - 1 else last_rank - number_in_tie + 1 end as rank,
        grade
    from numbered
)
select
    evaluation_id,
    document_id,
    rank,
    case when grade >= 0 then count(case when grade >= 0 then 1 end) over down else 0 end as judged_rank,
    case when grade >= 1 then count(case when grade >= 1 then 1 end) over down else 0 end as relevant_rank,
    grade
from ranked
window down as (
    partition by evaluation_id
    order by rank
    rows between unbounded preceding and current row
)
