-- title: How many documents of each run are relevant and how many are not, those of all topics together
-- parameters: rel, nonrelevant, collection
-- columns: qrels, run
--   num_rel      relevant documents
--   num_nonrel   documents not relevant
--   rel_ret      relevant documents retrieved
--   nonrel_ret   documents not relevant retrieved
select
    evaluated_topics.qrels as qrels,
    evaluated_topics.run as run,
    cast(sum(class_counts.num_rel) as bigint) as num_rel,
    cast(sum(class_counts.num_nonrel) as bigint) as num_nonrel,
    cast(sum(class_counts.rel_ret) as bigint) as rel_ret,
    cast(sum(class_counts.nonrel_ret) as bigint) as nonrel_ret
from evaluated_topics
join class_counts(rel := $rel, nonrelevant := $nonrelevant, collection := $collection) as class_counts
    using (evaluation_id)
group by evaluated_topics.qrels, evaluated_topics.run
