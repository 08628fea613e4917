-- title: The least and the greatest nDCG, whatever grades the unjudged documents have
-- parameters: k, dcg, gains, most, unseen
-- columns: qrels, run, topic
--   least      least value; null where gains say that grade 0 gains something, or a grade less than a lower one
--   greatest   greatest value; null likewise
-- definition: See least_gain_shares and greatest_gain_shares. Everything unseen has the greatest gain at the least value,
--    and none at the greatest.
with orders as (
    select
        qrels_id,
        bool_and(ordered) as ordered
    from gain_steps(dcg := $dcg, gains := $gains, most := $most)
    group by qrels_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case when coalesce(orders.ordered, true) then least_shares.share end as least,
    case when coalesce(orders.ordered, true) then greatest_shares.share end as greatest
from evaluated_topics
left join orders on orders.qrels_id = evaluated_topics.qrels_id
join least_gain_shares(
    k := $k, dcg := $dcg, gains := $gains, most := $most, unseen := $unseen, discounted := true
) as least_shares
    on least_shares.evaluation_id = evaluated_topics.evaluation_id
join greatest_gain_shares(k := $k, dcg := $dcg, gains := $gains, most := $most, discounted := true) as greatest_shares
    on greatest_shares.evaluation_id = evaluated_topics.evaluation_id
