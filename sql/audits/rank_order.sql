-- title: Rankings that are not in the order of their tie rule
-- parameters: first_run
-- columns: finding
--   num_rows   documents out of place
-- definition: Each document has the next rank after the one above. Under the rules trec_eval and trec_eval_10
--    its score is no better; where it is equal the document is tied with the one above and has the lesser name,
--    by its bytes. Otherwise it is tied with none above. The rank column and the order of the lines are not
--    stored, so that only ranks and ties are checked under the other rules.
with compared as (
    select
        retrieved.run_id,
        retrieved.topic_id,
        retrieved.rank,
        retrieved.tied_above,
        retrieved.document_id,
        runs.tie_rule in ('trec_eval', 'trec_eval_10') as is_by_score,
        comparison_score(retrieved.score, runs.tie_rule, runs.lower_is_better) as strength
    from retrieved
    join runs using (run_id)
    where retrieved.run_id >= $first_run
),
with_above as (
    select
        run_id,
        topic_id,
        rank,
        tied_above,
        document_id,
        is_by_score,
        strength,
        lag(rank) over (partition by run_id, topic_id order by rank) as rank_above,
        lag(tied_above) over (partition by run_id, topic_id order by rank) as ties_of_above,
        lag(document_id) over (partition by run_id, topic_id order by rank) as document_above,
        lag(strength) over (partition by run_id, topic_id order by rank) as strength_above
    from compared
),
misplaced as (
    select
        run_id,
        topic_id,
        rank
    from with_above
    where
        rank <> coalesce(rank_above, 0) + 1
        or (is_by_score and strength > strength_above)
        or case
            when is_by_score and strength = strength_above then tied_above <> ties_of_above + 1
            else tied_above <> 0
        end
    union all
    select
        with_above.run_id,
        with_above.topic_id,
        with_above.rank
    from with_above
    join documents using (document_id)
    join documents as documents_above on documents_above.document_id = with_above.document_above
    where
        with_above.is_by_score
        and with_above.strength = with_above.strength_above
        and documents.document >= documents_above.document
)
select
    concat(
        'run ', runs.run, ', topic ', coalesce(topics.topic, concat('#', misplaced.topic_id)),
        ': the document at rank ', min(misplaced.rank), ' is not where the tie rule ', runs.tie_rule, ' has it'
    ) as finding,
    count(distinct misplaced.rank) as num_rows
from misplaced
join runs using (run_id)
left join topics on topics.topic_id = misplaced.topic_id
group by misplaced.run_id, misplaced.topic_id, runs.run, runs.tie_rule, topics.topic
