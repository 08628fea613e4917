-- title: Staged judgments of spans with keys in the place of names
-- inputs: staged, staged_files
-- parameters:
--   unit varchar in {characters, bytes, tokens, lines, pages} = characters   what start and end count; files name the
--                                                                            last line or page, which is in the span
-- columns: qrels_id, topic_id
--   span          number of the span among those of its topic, in the order of document and place
--   document_id   key of the document
--   span_start    where it begins
--   span_end      the first place behind it
--   grade         degree of relevance
select
    staged_files.owner_id as qrels_id,
    topics.topic_id,
    cast(
        row_number() over (
            partition by topics.topic_id
            order by documents.document_id, staged.start, staged."end"
        ) as integer
    ) as span,
    documents.document_id,
    staged.start as span_start,
    cast(staged."end" as bigint) + case when $unit in ('lines', 'pages') then 1 else 0 end as span_end,
    staged.grade
from staged
join staged_files using (file_id)
join topics using (topic)
join documents on documents.document = staged.document
order by topics.topic_id, documents.document_id, staged.start, staged."end"
