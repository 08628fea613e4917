-- title: What ordered_ranks gives where tied documents stand in their worst or their best order
-- definition: The best order of a tie has the higher grades above the lower ones, and documents that nobody judged
--    below all of them; the worst order is its reverse. A document that is tied with none keeps its place.
-- parameters: judged_only, ties in {worst, best} = best
-- columns: evaluation_id, document_id
--   rank            its rank in that order
--   judged_rank     documents with a grade of 0 or more down to it; 0 where its own grade is negative
--   relevant_rank   documents with a grade of 1 or more down to it; 0 where its own grade is below
--   grade           its grade; a negative one is no judgment
--   share           1
with tied as (
    select
        evaluation_id,
        document_id,
        first_rank,
        last_rank,
        grade,
        row_number() over (
            partition by evaluation_id, first_rank
            order by grade desc, rank
        ) as number_in_tie,
        min(nullif(judged_rank, 0)) over tie - 1 as judged_above,
        min(nullif(relevant_rank, 0)) over tie - 1 as relevant_above
    from asked_ranks()
    where first_rank < last_rank
    window tie as (partition by evaluation_id, first_rank)
),
reordered as (
    select
        *,
        case when $ties = 'best' then first_rank + number_in_tie - 1 else last_rank - number_in_tie + 1 end as rank
    from tied
),
ranked as (
    select
        evaluation_id,
        document_id,
        rank,
        judged_rank,
        relevant_rank,
        grade
    from asked_ranks()
    where first_rank = last_rank
    union all
    select
        evaluation_id,
        document_id,
        rank,
        case when grade >= 0 then judged_above + count(case when grade >= 0 then 1 end) over down else 0 end
            as judged_rank,
        case when grade >= 1 then relevant_above + count(case when grade >= 1 then 1 end) over down else 0 end
            as relevant_rank,
        grade
    from reordered
    window down as (
        partition by evaluation_id, first_rank
        order by rank
        rows between unbounded preceding and current row
    )
)
select
    evaluation_id,
    document_id,
    case when $judged_only then judged_rank else rank end as rank,
    judged_rank,
    relevant_rank,
    grade,
    cast(1 as double) as share
from ranked
where
    grade >= 0
    or not $judged_only
