-- measure: nSessionDCG
-- title: Normalised session-based discounted cumulative gain
-- parameters: k, dcg, gains, call_base, rank_base
-- definition: SessionDCG divided by that of an ideal session, in which the documents with the greatest gains stand at the
--    ranks and calls that are worth most, no call having more than k; 0 if that is 0. Each document counts once.
-- reference: Kanoulas, Carterette, Clough and Sanderson 2011, Evaluating multi-query sessions,
--    doi:10.1145/2009916.2010056; with the discounts of Jarvelin, Price, Delcambre and Nielsen 2008,
--    doi:10.1007/978-3-540-78646-7_4
-- differs: Others call it nsDCG, with discounts and ideal sessions of their own: the TREC Session track discounts by
--    log(place + base - 1), and the tools of the TREC Dynamic Domain track have five documents in each ideal call.
-- range: 0 1
-- mean: arithmetic
-- holes: none, a document may be found by several calls
-- scores: no
-- example: calls nSessionDCG = 0.5865
with ideals as (
    select
        ideal_gains.qrels_id,
        ideal_gains.topic_id,
        places.k,
        fsum(ideal_gains.gain * places.discount) as total
    from ideal_gains(dcg := $dcg, gains := $gains, min_rel := 0, max_rel := null) as ideal_gains
    join session_places(
        k := $k, dcg := $dcg, gains := $gains, call_base := $call_base, rank_base := $rank_base
    ) as places on places.place = ideal_gains.rank
    group by ideal_gains.qrels_id, ideal_gains.topic_id, places.k
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    dcgs.k,
    coalesce(dcgs.value / ideals.total, 0) as value
from evaluated_topics
join session_dcg(
    k := $k, dcg := $dcg, gains := $gains, call_base := $call_base, rank_base := $rank_base, repeats := false
) as dcgs using (qrels, run, topic)
left join ideals
    on ideals.qrels_id = evaluated_topics.qrels_id
    and ideals.topic_id = evaluated_topics.topic_id
    and ideals.k is not distinct from dcgs.k
