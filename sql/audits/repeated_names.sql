-- title: Names or keys that stand more than once
-- columns: finding
--   num_rows   rows of the table that are concerned
-- definition: Each run, judgment set, topic and document has one key and one name, and a document one text at most.
with repeated_values as (
    select
        'runs' as relation,
        concat('name ', run) as repeated,
        count(*) as num_rows
    from runs
    group by run
    having count(*) > 1
    union all
    select
        'runs' as relation,
        concat('key ', run_id, ' (', min(run), ')') as repeated,
        count(*) as num_rows
    from runs
    group by run_id
    having count(*) > 1
    union all
    select
        'qrels' as relation,
        concat('name ', qrels) as repeated,
        count(*) as num_rows
    from qrels
    group by qrels
    having count(*) > 1
    union all
    select
        'qrels' as relation,
        concat('key ', qrels_id, ' (', min(qrels), ')') as repeated,
        count(*) as num_rows
    from qrels
    group by qrels_id
    having count(*) > 1
    union all
    select
        'topics' as relation,
        concat('name ', topic) as repeated,
        count(*) as num_rows
    from topics
    group by topic
    having count(*) > 1
    union all
    select
        'topics' as relation,
        concat('key ', topic_id, ' (', min(topic), ')') as repeated,
        count(*) as num_rows
    from topics
    group by topic_id
    having count(*) > 1
    union all
    select
        'documents' as relation,
        concat('name ', document) as repeated,
        count(*) as num_rows
    from documents
    group by document
    having count(*) > 1
    union all
    select
        'documents' as relation,
        concat('key ', document_id, ' (', min(document), ')') as repeated,
        count(*) as num_rows
    from documents
    group by document_id
    having count(*) > 1
    union all
    select
        'document_texts' as relation,
        concat('key ', document_id) as repeated,
        count(*) as num_rows
    from document_texts
    group by document_id
    having count(*) > 1
)
select
    concat(relation, ': the ', repeated, ' stands ', num_rows, ' times') as finding,
    num_rows
from repeated_values
