-- title: Judged expected over all orders of tied documents
-- parameters: k = 10
-- columns: qrels, run, topic, value
with found as (
    -- Each document of a tie is as likely as the others to be among those that stand above the cutoff.
    select
        evaluation_id,
        sum(
            cast(least(coalesce($k, last_rank), last_rank) - first_rank + 1 as double) / (last_rank - first_rank + 1)
        ) as num_judged_ret
    from tied_documents()
    where first_rank <= coalesce($k, first_rank)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(
        found.num_judged_ret
            / nullif(least(coalesce($k, evaluated_topics.num_ret), evaluated_topics.num_ret), 0),
        0
    ) as value
from evaluated_topics
left join found on found.evaluation_id = evaluated_topics.evaluation_id
