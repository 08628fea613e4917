-- title: Bpref expected over all orders of tied documents
-- definition: Of the documents tied with a relevant one that are judged not relevant, 0 to all stand above it, each
--    number with the same probability.
-- parameters: rel
-- columns: qrels, run, topic, value
with nonrelevant_above as (
    select
        tie_groups.evaluation_id as evaluation_id,
        tie_groups.nonrel_above + ranks_to_longest.rank - 1 as nonrel_above,
        tie_groups.num_rel / (tie_groups.num_nonrel + 1) as num_expected
    from tie_groups(rel := $rel) as tie_groups
    join ranks_to_longest on ranks_to_longest.rank between 1 and tie_groups.num_nonrel + 1
    where tie_groups.num_rel > 0
),
averages as (
    select
        evaluations.evaluation_id as evaluation_id,
        sum(
            nonrelevant_above.num_expected * case
                when nonrelevant_above.nonrel_above = 0 then cast(1 as double)
                else 1
                    - cast(least(nonrelevant_above.nonrel_above, topic_counts.num_rel) as double)
                    / least(topic_counts.num_nonrel, topic_counts.num_rel)
            end
        ) / max(topic_counts.num_rel) as value
    from asked_evaluations() as evaluations
    join topic_counts(rel := $rel) as topic_counts
        on topic_counts.qrels_id = evaluations.qrels_id
        and topic_counts.topic_id = evaluations.topic_id
    join nonrelevant_above on nonrelevant_above.evaluation_id = evaluations.evaluation_id
    group by evaluations.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(averages.value, 0) as value
from evaluated_topics
left join averages on averages.evaluation_id = evaluated_topics.evaluation_id
