-- measure: SessionDCG
-- title: Session-based discounted cumulative gain, over several calls for a topic
-- parameters: k, dcg, gains, call_base, rank_base, repeats
-- definition: Sum over the calls, and over the first k documents of each, of gain / ((1 + log_b rank) (1 + log_bq call))
--    with the bases b of ranks and bq of calls. The calls of a topic are numbered from 1; a run without calls has one.
--    Unjudged documents and negative grades have gain 0.
-- reference: Jarvelin, Price, Delcambre and Nielsen 2008, Discounted cumulated gain based evaluation of multiple-query IR
--    sessions, doi:10.1007/978-3-540-78646-7_4
-- differs: The paper calls it sDCG, which is another measure than SDCG, and counts a document each time that it is found;
--    repeats = true is that. Equal to sDCG.py of the TREC Dynamic Domain track, whose gains are the sums of ratings.
-- range: 0 inf
-- mean: arithmetic
-- holes: none, a document may be found by several calls
-- scores: no
-- example: calls SessionDCG = 1.8912
-- example: calls SessionDCG(repeats=true) = 2.9491
with totals as (
    select
        session_ranks.evaluation_id,
        cutoffs.k,
        fsum(
            grade_gains.gain
                / (1 + ln(session_ranks.rank) / ln($rank_base))
                / (1 + ln(session_ranks.call) / ln($call_base))
        ) as total
    from session_ranks
    join grade_gains(dcg := $dcg, gains := $gains, min_rel := 0, max_rel := null) as grade_gains using (grade)
    join cutoffs(k := $k) as cutoffs on session_ranks.rank <= cutoffs.last_rank
    where
        grade_gains.gain <> 0
        and ($repeats or session_ranks.is_first)
    group by session_ranks.evaluation_id, cutoffs.k
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(totals.total, 0) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join totals
    on totals.evaluation_id = evaluated_topics.evaluation_id
    and totals.k is not distinct from cutoffs.k
