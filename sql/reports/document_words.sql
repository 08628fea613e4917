-- title: What each document says, where its text was loaded
-- columns:
--   document   document
--   title      its title; null where it has none
--   text       its text, as much of it as was kept
--   words      the beginning of both in one line, for a row of a table
select
    documents.document,
    document_texts.title,
    document_texts.text,
    case
        when length(concat_ws(': ', document_texts.title, document_texts.text)) > 200
            then concat(replace(substr(concat_ws(': ', document_texts.title, document_texts.text), 1, 199), chr(10), ' '), '…')
        else replace(concat_ws(': ', document_texts.title, document_texts.text), chr(10), ' ')
    end as words
from document_texts
join documents using (document_id)
