-- title: Kinds of tied documents that some judgment group finds relevant, all groups saying the same of those of a kind
-- parameters: rel, judged_only
--   judged_only boolean = false     whether it matters that a document has been judged not relevant
-- columns:
--   evaluation_id    key of the evaluation
--   first_rank       place of the first document of the tie
--   nth              number of the kind within the tie; one that no group can hold for worse than another has the
--                    lower number
--   num_docs         documents of the kind in the tie
--   step             what one of them adds to the number of a set of documents: the digit of each kind, in a
--                    number of mixed radix, is how many of its documents are in the set
--   last_number      number of the set of all of them
--   tie_docs         documents in it
--   judgment_group   a group that finds documents of this kind relevant, or not, where that matters
--   is_rel           1 if it finds them relevant, else 0
with states as (
    select
        evaluation_id,
        first_rank,
        document_id,
        judgment_group,
        nth_group,
        state
    from group_states(rel := $rel, judged_only := $judged_only)
    where
        is_wanted
        and state > 0
),
coded as (
    select
        evaluation_id,
        first_rank,
        document_id,
        sum(case when state = 2 then 1 else -1 end) as strength,
        -- A number of 33 digits to the base of 3 is exact as a double.
        sum(state * pow(3, nth_group - 1)) as code,
        max(nth_group) as last_group
    from states
    group by evaluation_id, first_rank, document_id
),
kinds as (
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
        row_number() over up_to as nth,
        sum(ln(num_docs + 1)) over up_to - ln(num_docs + 1) as ln_step,
        sum(ln(num_docs + 1)) over (partition by evaluation_id, first_rank) as ln_num_sets,
        sum(num_docs) over (partition by evaluation_id, first_rank) as tie_docs,
        max(last_group) over (partition by evaluation_id, first_rank) as last_group
    from kinds
    window up_to as (
        partition by evaluation_id, first_rank
        order by strength desc, code
        rows between unbounded preceding and current row
    )
)
select
    numbered.evaluation_id as evaluation_id,
    numbered.first_rank as first_rank,
    numbered.nth as nth,
    numbered.num_docs as num_docs,
    round(exp(numbered.ln_step)) as step,
    round(exp(numbered.ln_num_sets)) - 1 as last_number,
    numbered.tie_docs as tie_docs,
    states.judgment_group as judgment_group,
    case when states.state = 2 then 1 else 0 end as is_rel
from numbered
join states
    on states.evaluation_id = numbered.evaluation_id
    and states.document_id = numbered.document_id
-- Numbers below 1e10 are exact, and more sets are never tried.
where
    numbered.last_group <= 33
    and numbered.ln_num_sets < 23
