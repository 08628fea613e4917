-- title: Every document that a call found, by name, of runs that searched several times for a topic
-- definition: The calls of a topic are numbered in their order; rankings has the one ranking that is made of them.
-- columns: run, topic
--   call        place of the call among those of the topic, from 1
--   call_name   the call as the file names it
--   rank        rank in the call from 1, under the run's tie rule
--   document    document
--   score       score as it stood in the file
select
    runs.run,
    topics.topic,
    call_ranks.call,
    coalesce(call_ranks.call_name, cast(call_ranks.call as varchar)) as call_name,
    call_ranks.rank,
    documents.document,
    call_ranks.score
from call_ranks
join runs using (run_id)
join topics on topics.topic_id = call_ranks.topic_id
join documents on documents.document_id = call_ranks.document_id
