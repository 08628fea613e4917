-- title: A sheet to judge documents in: what each topic asks and what each document says
-- inputs: pooled
-- parameters: names
-- columns: topic
--   topic_text      what it asks, in its shortest form; null where no text was loaded
--   description     the same in a sentence
--   narrative       what is relevant to it and what is not
--   document        document to judge
--   title           its title; null where none was loaded
--   text            its text
--   num_pooling     runs that have it among their first ones
--   total_change    what all runs together would gain if it were relevant
--   figure_change   what the run that ranks it highest would gain
--   order_change    by how much the difference of two runs could change
-- definition: The rows of a pool with texts. Where several judgment sets have a text of a topic, it is that of the first
--     by name.
with asked as (
    select
        topic_texts.topic,
        topic_texts.text,
        topic_texts.description,
        topic_texts.narrative,
        row_number() over (partition by topic_texts.topic order by topic_texts.qrels) as place
    from topic_texts
    join named_qrels(names := $names) as listed using (qrels)
)
select
    pooled.topic,
    asked.text as topic_text,
    asked.description,
    asked.narrative,
    pooled.document,
    document_words.title,
    document_words.text,
    pooled.num_pooling,
    pooled.total_change,
    pooled.figure_change,
    pooled.order_change
from pooled
left join asked
    on asked.topic = pooled.topic
    and asked.place = 1
left join document_words using (document)
