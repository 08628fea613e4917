-- title: Names or keys that stand more than once
-- columns: finding
--   num_rows   rows of the table that are concerned
-- definition: Each run, judgment set, topic and document has one key and one name, and a document one text at most.
with named as not materialized (
    select 'runs' as relation, run_id as id, run as name
    from runs
    union all
    select 'qrels' as relation, qrels_id as id, qrels as name
    from qrels
    union all
    select 'topics' as relation, topic_id as id, topic as name
    from topics
    union all
    select 'documents' as relation, document_id as id, document as name
    from documents
)
select
    concat(relation, ': the name ', name, ' stands ', count(*), ' times') as finding,
    count(*) as num_rows
from named
group by relation, name
having count(*) > 1
union all
select
    concat(relation, ': the key ', id, ' (', min(name), ') stands ', count(*), ' times') as finding,
    count(*) as num_rows
from named
group by relation, id
having count(*) > 1
union all
select
    concat('document_texts: the key ', document_id, ' stands ', count(*), ' times') as finding,
    count(*) as num_rows
from document_texts
group by document_id
having count(*) > 1
