-- measure: IDCG
-- title: Discounted cumulative gain of the ideal ranking
-- aliases: ideal_dcg
-- trec_eval: ideal_dcg.gains
-- parameters: k, dcg, gains
-- definition: Sum of gain / log2(rank + 1) over the first k of the judged documents in the order of their gain.
-- reference: Jarvelin and Kekalainen 2002, Cumulated gain-based evaluation of IR techniques,
--    doi:10.1145/582415.582418
-- differs: Only trec_eval 10 has it, without a cutoff, and sorts fractional gains as if they were integers.
-- range: 0 inf
-- mean: arithmetic
-- scores: no
-- example: graded IDCG = 4.7619
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(ideal.total, 0) as value
from evaluated_topics
left join ideal_dcg_totals(k := $k, dcg := $dcg, gains := $gains) as ideal
    on ideal.qrels_id = evaluated_topics.qrels_id
    and ideal.topic_id = evaluated_topics.topic_id
