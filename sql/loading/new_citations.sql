-- title: Staged citations with keys in the place of names
-- inputs: staged
-- parameters:
--   qrels_id integer = null   key of the judgment set whose nuggets have the topics
-- columns: run_id, qrels_id, topic_id
--   sentence   number or name of the sentence
--   document   name of the document; null for a sentence that cites none
--   support    2 for full support, 1 for partial support, 0 for none; null for a sentence that cites none
select
    runs.run_id,
    $qrels_id as qrels_id,
    topics.topic_id,
    staged.sentence,
    staged.document,
    case
        when staged.support in ('FS', 'full_support') or try_cast(staged.support as double) = 2 then 2
        when staged.support in ('PS', 'partial_support') or try_cast(staged.support as double) = 1 then 1
        when staged.support in ('NS', 'no_support') or try_cast(staged.support as double) = 0 then 0
    end as support
from staged
join runs using (run)
join topics on topics.topic = staged.topic
order by runs.run_id, topics.topic_id, staged.line
