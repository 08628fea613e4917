-- title: Retrieved documents with the strength by which they are compared
-- columns:
--   run_id        key of the run
--   topic_id      key of the topic
--   rank          place in the ranking
--   document_id   key of the document
--   score         score as it stood in the file
--   strength      what the tie rule compares, more being better: the score as a 32-bit float under
--                 trec_eval,
--                 else the score itself; with its sign turned where lower is better
with signed as (
    select
        retrieved.run_id,
        retrieved.topic_id,
        retrieved.rank,
        retrieved.document_id,
        retrieved.score,
        runs.tie_rule,
        case when runs.lower_is_better then -retrieved.score else retrieved.score end as strength
    from retrieved
    join runs on runs.run_id = retrieved.run_id
)
-- 3.4028234663852886e38 is the greatest 32-bit float; what would be rounded beyond it is infinite there, and ties.
select
    run_id,
    topic_id,
    rank,
    document_id,
    score,
    case
        when tie_rule <> 'trec_eval' then strength
        when strength >= 3.4028235677973366e38 then 1e39
        when strength <= -3.4028235677973366e38 then -1e39
        else cast(
            cast(
                least(greatest(strength, -3.4028234663852886e38), 3.4028234663852886e38) as real
            ) as double
        )
    end as strength
from signed
