-- measure: RBP_resid
-- title: Residual of rank-biased precision where something is not judged
-- trec_eval: rbp_resid.p
-- ties: expected = expected_rbp_resid
-- parameters: p, ties
--   p double in [0, 1] = 0.9   how likely the reader goes on to the next document
-- definition: p^n + (1 - p) times the sum over the unjudged among the n documents retrieved of p^(rank - 1); 0 if
--    all of them are judged. A negative grade is no judgment.
-- reference: Soboroff, trec_eval 10, measure rbp_resid
-- differs: Equal to trec_eval 10 but for topics that the run leaves out: 0 here as there, while with a parameter
--    trec_eval -c takes them for one unjudged document. It is what NIST printed for TREC-COVID. RBP_residual keeps the
--    tail p^n where all is judged; 9.0.8 has neither.
-- range: 0 1
-- mean: arithmetic
-- holes: none, it says itself how much is judged
-- better: less
-- scores: no
-- example: graded RBP_resid(p=0.5) = 0
-- example: mixed RBP_resid(p=0.5) = 0.1979
with not_judged as (
    select
        evaluations.evaluation_id as evaluation_id,
        fsum(persistence.reached) as total
    from asked_evaluations() as evaluations
    join asked_retrieved() as retrieved using (run_id, topic_id)
    join persistence(p := $p) as persistence on persistence.rank = retrieved.rank
    left join ordered_ranks(ties := $ties) as ordered_ranks
        on ordered_ranks.evaluation_id = evaluations.evaluation_id
        and ordered_ranks.rank = retrieved.rank
    where coalesce(ordered_ranks.grade, -1) < 0
    group by evaluations.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(lowest.reached * $p + (1 - $p) * not_judged.total, 0) as value
from evaluated_topics
left join not_judged using (evaluation_id)
left join persistence(p := $p) as lowest on lowest.rank = evaluated_topics.num_ret
