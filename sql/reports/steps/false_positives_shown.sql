-- title: How many false positives each ranking shows down to each of its documents
-- parameters: rel, most
--   most integer in [1, inf) = null   false positives of each ranking down to which its documents are given, and its
--                                     last document; all where ranks may contradict scores, and if null
-- columns: evaluation_id, qrels, run
--   rank               rank of the document
--   comparison_score   what the tie rule compares of the weakest document down to here, which a threshold must let pass
--   score              that document's score as it stood in the file
--   relevant           whether the document at this rank is relevant, else it is a false positive
--   false_positives    false positives down to here
with reached as (
    -- The last false positive that is asked for stands that many ranks down, and one more for each relevant one above.
    select
        evaluation_id,
        count(*) as num_rel
    from relevant_ranks(rel := $rel)
    where
        $most is not null
        and rank - relevant_rank < $most
    group by evaluation_id
),
assessed as (
    select
        evaluated_topics.evaluation_id,
        evaluated_topics.qrels,
        evaluated_topics.run,
        retrieved.rank,
        comparison_score(retrieved.score, runs.tie_rule, runs.lower_is_better) as comparison_score,
        case when runs.lower_is_better then -retrieved.score else retrieved.score end as signed_score,
        runs.lower_is_better,
        coalesce(judged_ranks.grade >= $rel, false) as relevant
    from evaluated_topics
    join runs using (run_id)
    join asked_retrieved() as retrieved
        on retrieved.run_id = evaluated_topics.run_id
        and retrieved.topic_id = evaluated_topics.topic_id
    left join asked_ranks() as judged_ranks
        on judged_ranks.evaluation_id = evaluated_topics.evaluation_id
        and judged_ranks.rank = retrieved.rank
    left join reached on reached.evaluation_id = evaluated_topics.evaluation_id
    where
        $most is null
        or retrieved.rank <= $most + coalesce(reached.num_rel, 0)
        or retrieved.rank = evaluated_topics.num_ret
        or runs.tie_rule not in ('trec_eval', 'trec_eval_10')
),
counted as (
    -- Partitions by name as well let a condition on the run reach the tables.
    select
        evaluation_id,
        qrels,
        run,
        rank,
        min(comparison_score) over down as comparison_score,
        min(signed_score) over down as signed_score,
        lower_is_better,
        relevant,
        count(case when not relevant then 1 end) over down as false_positives
    from assessed
    window down as (
        partition by qrels, run, evaluation_id
        order by rank
        rows between unbounded preceding and current row
    )
)
select
    evaluation_id,
    qrels,
    run,
    rank,
    comparison_score,
    case when lower_is_better then -signed_score else signed_score end as score,
    relevant,
    false_positives
from counted
