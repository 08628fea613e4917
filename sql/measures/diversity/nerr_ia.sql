-- measure: nERR_IA
-- title: Intent-aware expected reciprocal rank, normalised by the ideal ranking
-- aliases: nERR-IA
-- parameters: k, alpha, rel, judged_only, ties
-- definition: A document gains (1 - alpha)^n for each subtopic it is relevant to, n being how many documents
--    above it are relevant to that one. The sum of gain / rank over the first k, divided by that of the ideal
--    ranking, which puts next what gains most, of documents that gain alike the one whose name comes last.
--    Subtopics are the iterations of the topic's judgments in which a document is relevant; 0 where there are
--    none. Above 1 where a ranking does better than that choice, which is not always the best.
-- reference: Chapelle, Metzler, Zhang and Grinspan 2009, Expected reciprocal rank for graded relevance,
--    doi:10.1145/1645953.1646033; in this form Clarke, Craswell, Soboroff and Ashkan 2011, A comparative
--    analysis of cascade measures for novelty and diversity, doi:10.1145/1935826.1935847
-- differs: Equal to ndeval, which stops at 20 documents; where alpha has no exact binary form rounding decides
--    between documents that gain alike, which can change its ideal ranking. pyndeval puts tied documents in
--    ascending order of their names; ir_measures has alpha at 0.5 only. ir_measures 0.4.3 fails with
--    judged_only.
-- range: 0 inf
-- mean: arithmetic
-- holes: none, which subtopics a hole has is as open as whether it has any
-- scores: no
-- example: diversity nERR_IA = 0.8071
with sums as (
    select
        evaluation_id,
        cutoffs.last_rank,
        fsum(gain / rank) as total
    from novel_gains(alpha := $alpha, rel := $rel, judged_only := $judged_only, k := $k, ties := $ties)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by evaluation_id, cutoffs.last_rank
),
ideal_sums as (
    select
        qrels_id,
        topic_id,
        cutoffs.last_rank,
        fsum(gain / rank) as total
    from ideal_novel_gains(alpha := $alpha, rel := $rel, k := $k)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by qrels_id, topic_id, cutoffs.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(sums.total / nullif(ideal_sums.total, 0), 0) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join sums using (evaluation_id, last_rank)
left join ideal_sums using (qrels_id, topic_id, last_rank)
