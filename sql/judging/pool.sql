-- title: The pool of some runs, and what judging a document could change
-- parameters: runs, depth, p = 0.8
-- columns: topic
--   document        document that a run has among its first ones
--   num_pooling     runs that have it among their first ones
--   num_runs        runs that retrieved it at all
--   best_rank       its best rank in any run
--   total_change    what all runs together would gain if it were relevant
--   figure_change   what the run that ranks it highest would gain
--   order_change    by how much the difference of two runs could change
-- definition: Documents among the first of any run (num_pooling). What a run gains by a relevant document at rank r is
--     what RBP gains, (1 - p) p^(r - 1), and nothing where it did not retrieve it: total_change is the sum over the
--     runs, figure_change the greatest, order_change the greatest less the least.
-- reference: Moffat, Webber and Zobel 2007, Strategic system comparisons via targeted relevance judgments,
--     doi:10.1145/1277741.1277806 (total_change is its method A)
with listed as (
    select run_id
    from known_runs(runs := $runs)
),
pooled as (
    select
        retrieved.topic_id,
        retrieved.document_id,
        count(*) as num_pooling
    from retrieved
    join listed using (run_id)
    where retrieved.rank <= coalesce($depth, retrieved.rank)
    group by retrieved.topic_id, retrieved.document_id
),
gains as (
    select
        retrieved.topic_id,
        retrieved.document_id,
        count(*) as num_runs,
        min(retrieved.rank) as best_rank,
        max(retrieved.rank) as last_rank,
        sum((1 - $p) * pow($p, retrieved.rank - 1) order by retrieved.rank) as total_change
    from retrieved
    join listed using (run_id)
    join pooled using (topic_id, document_id)
    group by retrieved.topic_id, retrieved.document_id
)
select
    topics.topic,
    documents.document,
    pooled.num_pooling,
    gains.num_runs,
    gains.best_rank,
    gains.total_change,
    (1 - $p) * pow($p, gains.best_rank - 1) as figure_change,
    (1 - $p) * pow($p, gains.best_rank - 1)
        - case
            when gains.num_runs = (select count(*) from listed) then (1 - $p) * pow($p, gains.last_rank - 1)
            else 0
        end as order_change
from pooled
join gains using (topic_id, document_id)
join topics using (topic_id)
join documents on documents.document_id = pooled.document_id
