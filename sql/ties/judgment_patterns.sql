-- title: The patterns of judgments in each tie: of documents of one pattern all groups say the same
-- definition: Only documents that are relevant to some group count. A set of tied documents is a number of mixed radix
--    with a digit for each pattern, which says how many documents of the pattern are in the set.
-- parameters: rel, judged_only
--   judged_only boolean = false   whether it matters that a document has been judged not relevant
-- columns: evaluation_id, first_rank
--   pattern_number   number of the pattern within the tie; one that no group can hold for worse than another has the
--                    lower number
--   num_docs         documents of the pattern in the tie
--   digit_value      what one of them adds to the number of a set
--   last_number      number of the set of all documents of all patterns
--   docs_in_tie      documents in that set
--   judgment_group   a group to which documents of this pattern are relevant, or not, where that matters
--   is_rel           1 if they are relevant to it, else 0
with judged_by_group as (
    select *
    from group_judgments(rel := $rel, judged_only := $judged_only)
    where
        is_relevant
        and judgment > 0
),
coded as (
    select
        evaluation_id,
        first_rank,
        document_id,
        sum(case when judgment = 2 then 1 else -1 end) as strength,
        -- A number of 33 digits to the base of 3 is exact as a double.
        sum(judgment * pow(3, group_number - 1)) as code,
        max(group_number) as last_group
    from judged_by_group
    group by evaluation_id, first_rank, document_id
),
patterns as (
    select
        evaluation_id,
        first_rank,
        strength,
        code,
        min(document_id) as document_id,
        count(*) as num_docs,
        max(last_group) as last_group
    from coded
    group by evaluation_id, first_rank, strength, code
),
numbered as (
    select
        evaluation_id,
        first_rank,
        document_id,
        num_docs,
        row_number() over up_to as pattern_number,
        sum(ln(num_docs + 1)) over up_to - ln(num_docs + 1) as ln_digit_value,
        sum(ln(num_docs + 1)) over (partition by evaluation_id, first_rank) as ln_num_sets,
        sum(num_docs) over (partition by evaluation_id, first_rank) as docs_in_tie,
        max(last_group) over (partition by evaluation_id, first_rank) as last_group
    from patterns
    window up_to as (
        partition by evaluation_id, first_rank
        order by strength desc, code
        rows between unbounded preceding and current row
    )
)
select
    numbered.evaluation_id as evaluation_id,
    numbered.first_rank as first_rank,
    numbered.pattern_number as pattern_number,
    numbered.num_docs as num_docs,
    round(exp(numbered.ln_digit_value)) as digit_value,
    round(exp(numbered.ln_num_sets)) - 1 as last_number,
    numbered.docs_in_tie as docs_in_tie,
    judged_by_group.judgment_group as judgment_group,
    case when judged_by_group.judgment = 2 then 1 else 0 end as is_rel
from numbered
join judged_by_group using (evaluation_id, document_id)
-- Numbers below 1e10 are exact, and more sets are never tried.
where
    numbered.last_group <= 33
    and numbered.ln_num_sets < 23
