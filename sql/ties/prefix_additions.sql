-- title: What a document adds to a mean over judgment groups where it stands next below a set of tied documents
-- parameters: rel, judged_only, measure, depth, ties in {worst, best} = best
--   judged_only boolean = false   whether ranks count only documents to which the group gave a grade of 0 or more
-- columns: evaluation_id, first_rank
--   set_number    number of the set above, whose order does not matter
--   next_number   number of the set with the document
--   is_last       whether that is the whole tie
--   is_only       whether the tie has just one set of each size
--   depth         the cutoff, or the multiple
--   addition      what the document adds
with group_counts as (
    select
        qrels_id,
        topic_id,
        judgment_group,
        count(*) over (partition by qrels_id, topic_id) as num_groups,
        num_rel
    from group_relevant_counts(rel := $rel)
),
divisors as (
    select
        group_counts.qrels_id,
        group_counts.topic_id,
        group_counts.judgment_group,
        group_counts.num_groups,
        group_counts.num_rel,
        cast(depths.value as double) as depth,
        case
            when $measure = 'P' then cast(depths.value as double)
            else floor(cast(depths.value as double) * group_counts.num_rel + cast(0.9 as double))
        end as cutoff
    from group_counts
    cross join given_values(given := $depth) as depths
),
ties_of_groups as (
    select
        evaluation_id,
        judgment_group,
        first_rank,
        count(case when judgment = 2 then 1 end) as num_rel,
        count(case when judgment > 0 then 1 end) as num_judged,
        count(case when judgment > 0 and not is_relevant then 1 end) as num_others
    from group_judgments(rel := $rel, judged_only := $judged_only)
    group by evaluation_id, judgment_group, first_rank
),
others_in_ties as (
    select
        evaluation_id,
        first_rank,
        max(last_rank) - first_rank + 1 - count(distinct document_id) as num_others
    from group_judgments(rel := $rel, judged_only := $judged_only)
    where is_relevant
    group by evaluation_id, first_rank
),
summed_down as (
    select
        *,
        sum(num_rel) over up_to - num_rel as rel_above,
        sum(num_judged) over up_to - num_judged as judged_above
    from ties_of_groups
    window up_to as (
        partition by evaluation_id, judgment_group
        order by first_rank
        rows between unbounded preceding and current row
    )
),
above as (
    -- In the best order the other documents of a tie stand below those that are relevant to some group.
    select
        summed_down.evaluation_id as evaluation_id,
        summed_down.first_rank as first_rank,
        summed_down.judgment_group as judgment_group,
        summed_down.rel_above as rel_above,
        case when $judged_only then summed_down.judged_above else summed_down.first_rank - 1 end
            + case
                when $ties = 'best' then 0
                when $judged_only then summed_down.num_others
                else others_in_ties.num_others
            end as docs_above
    from summed_down
    join others_in_ties using (evaluation_id, first_rank)
),
sets as (
    select *
    from tie_prefixes(rel := $rel, judged_only := $judged_only, ties := $ties)
),
members as (
    select
        sets.evaluation_id as evaluation_id,
        sets.first_rank as first_rank,
        sets.set_number as set_number,
        sets.num_docs as docs_in_set,
        sets.is_only as is_only,
        patterns.digit_value as digit_value,
        patterns.last_number as last_number,
        patterns.judgment_group as judgment_group,
        patterns.is_rel as is_rel,
        patterns.num_docs as num_docs,
        floor(sets.set_number / patterns.digit_value)
            - (patterns.num_docs + 1)
            * floor(sets.set_number / (patterns.digit_value * (patterns.num_docs + 1))) as num_members
    from sets
    join judgment_patterns(rel := $rel, judged_only := $judged_only) as patterns using (evaluation_id, first_rank)
),
counted as (
    select
        evaluation_id,
        first_rank,
        set_number,
        docs_in_set,
        is_only,
        set_number + digit_value as next_number,
        set_number + digit_value = last_number as is_last,
        judgment_group,
        is_rel = 1 and num_members < num_docs as is_next,
        sum(num_members * is_rel) over by_group as rel_in_set,
        sum(num_members) over by_group as judged_in_set
    from members
    window by_group as (partition by evaluation_id, first_rank, set_number, judgment_group)
),
ranked as (
    select
        counted.evaluation_id as evaluation_id,
        counted.first_rank as first_rank,
        counted.set_number as set_number,
        counted.next_number as next_number,
        counted.is_last as is_last,
        counted.is_only as is_only,
        divisors.num_groups as num_groups,
        divisors.num_rel as num_rel,
        divisors.depth as depth,
        divisors.cutoff as cutoff,
        above.rel_above + counted.rel_in_set + 1 as relevant_rank,
        above.docs_above + case when $judged_only then counted.judged_in_set else counted.docs_in_set end + 1 as rank
    from counted
    join sets as next_sets
        on next_sets.evaluation_id = counted.evaluation_id
        and next_sets.first_rank = counted.first_rank
        and next_sets.set_number = counted.next_number
    join asked_evaluations() as evaluations on evaluations.evaluation_id = counted.evaluation_id
    join divisors
        on divisors.qrels_id = evaluations.qrels_id
        and divisors.topic_id = evaluations.topic_id
        and divisors.judgment_group = counted.judgment_group
    join above
        on above.evaluation_id = counted.evaluation_id
        and above.first_rank = counted.first_rank
        and above.judgment_group = counted.judgment_group
    where counted.is_next
)
select
    evaluation_id,
    first_rank,
    set_number,
    next_number,
    is_last,
    is_only,
    ranked.depth,
    fsum(
        case
            when $measure = 'AP' then relevant_rank / rank / num_rel
            when rank <= cutoff then 1 / nullif(cutoff, 0)
            else 0
        end / num_groups
    ) as addition
from ranked
group by evaluation_id, first_rank, set_number, next_number, is_last, is_only, ranked.depth
