-- title: What a document adds to a mean over judgment groups where it stands next below a set of tied documents
-- parameters: rel, judged_only, measure, depth, ties
--   judged_only boolean = false     whether ranks count only documents to which the group gave a grade of 0 or
--                                   more
--   measure varchar in {AP, P, Rprec} = AP   what is averaged over the groups
--   depth double = 1.0              of P the cutoff, of Rprec the cutoff as a multiple of the relevant documents
--   ties varchar in {worst, best} = best   whether the worst or the best order is looked for
-- columns:
--   evaluation_id   key of the evaluation
--   first_rank      place of the first document of the tie
--   set_number      number of the set above, whose order does not matter
--   next_number     number of the set with the document
--   is_last         whether that is the whole tie
--   is_only         whether the tie has just one set of each size
--   addition        what the document adds
with divisors as (
    select
        qrels_id,
        topic_id,
        judgment_group,
        count(*) over (partition by qrels_id, topic_id) as num_groups,
        num_rel,
        case
            when $measure = 'P' then $depth
            else floor($depth * num_rel + cast(0.9 as double))
        end as cutoff
    from group_relevant_counts(rel := $rel)
),
sets as (
    select
        evaluation_id,
        first_rank,
        set_number,
        num_docs,
        is_only
    from group_sets(rel := $rel, judged_only := $judged_only, ties := $ties)
),
members as (
    select
        sets.evaluation_id as evaluation_id,
        sets.first_rank as first_rank,
        sets.set_number as set_number,
        sets.num_docs as docs_in_set,
        sets.is_only as is_only,
        kinds.step as step,
        kinds.last_number as last_number,
        kinds.judgment_group as judgment_group,
        kinds.is_rel as is_rel,
        kinds.num_docs as num_docs,
        floor(sets.set_number / kinds.step)
            - (kinds.num_docs + 1) * floor(sets.set_number / (kinds.step * (kinds.num_docs + 1))) as num_members
    from sets
    join group_kinds(rel := $rel, judged_only := $judged_only) as kinds
        on kinds.evaluation_id = sets.evaluation_id
        and kinds.first_rank = sets.first_rank
),
counted as (
    select
        evaluation_id,
        first_rank,
        set_number,
        docs_in_set,
        is_only,
        set_number + step as next_number,
        set_number + step = last_number as is_last,
        judgment_group,
        is_rel = 1 and num_members < num_docs as is_next,
        sum(num_members * is_rel) over by_group as rel_in_set,
        sum(num_members) over by_group as judged_in_set
    from members
    window by_group as (partition by evaluation_id, first_rank, set_number, judgment_group)
),
placed as (
    select
        counted.evaluation_id as evaluation_id,
        counted.first_rank as first_rank,
        counted.set_number as set_number,
        counted.next_number as next_number,
        counted.is_last as is_last,
        counted.is_only as is_only,
        divisors.num_groups as num_groups,
        divisors.num_rel as num_rel,
        divisors.cutoff as cutoff,
        tops.rel_above + counted.rel_in_set + 1 as nth_rel,
        tops.docs_above + case when $judged_only then counted.judged_in_set else counted.docs_in_set end + 1 as rank
    from counted
    join sets as next_sets
        on next_sets.evaluation_id = counted.evaluation_id
        and next_sets.first_rank = counted.first_rank
        and next_sets.set_number = counted.next_number
    join evaluations on evaluations.evaluation_id = counted.evaluation_id
    join divisors
        on divisors.qrels_id = evaluations.qrels_id
        and divisors.topic_id = evaluations.topic_id
        and divisors.judgment_group = counted.judgment_group
    join group_tops(rel := $rel, judged_only := $judged_only, ties := $ties) as tops
        on tops.evaluation_id = counted.evaluation_id
        and tops.first_rank = counted.first_rank
        and tops.judgment_group = counted.judgment_group
    where counted.is_next
),
shares as (
    select
        evaluation_id,
        first_rank,
        set_number,
        next_number,
        is_last,
        is_only,
        case
            when $measure = 'AP' then cast(nth_rel as double) / rank / num_rel
            when rank <= cutoff then 1 / nullif(cutoff, 0)
            else 0
        end / num_groups as share
    from placed
)
select
    evaluation_id,
    first_rank,
    set_number,
    next_number,
    is_last,
    is_only,
    sum(share) as addition
from shares
group by evaluation_id, first_rank, set_number, next_number, is_last, is_only
