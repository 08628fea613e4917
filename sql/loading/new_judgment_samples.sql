-- title: How the documents of staged judgments were drawn, with keys in the place of names
-- inputs: staged, staged_files
-- parameters:
--   form varchar in {strata, probabilities} = strata   what the rows say of the sample
-- columns: qrels_id, topic_id, document_id
--   stratum       stratum of the document, or method that drew it
--   probability   of a stratum the share of its documents that is judged; else as it was given, but 1 where one of
--                 the methods 0 and 2 took the document
-- definition: The methods are those of the TREC Million Query and Web tracks: 0 is the one that takes the documents
--    which tell runs apart best, 1 the sample, 2 both. What method 0 takes is judged whatever the sample draws.
-- reference: Carterette, Pavlu, Fang and Kanoulas 2009, Million Query track 2009 overview
select
    staged_files.owner_id as qrels_id,
    topics.topic_id,
    documents.document_id,
    staged.stratum,
    case
        when $form = 'strata'
        then cast(
            count(case when staged.grade >= 0 then 1 end) over (partition by topics.topic_id, staged.stratum) as double
        ) / count(*) over (partition by topics.topic_id, staged.stratum)
        when staged.stratum in ('0', '2') then cast(1 as double)
        else staged.probability
    end as probability
from staged
join staged_files using (file_id)
join topics using (topic)
join documents on documents.document = staged.document
order by topics.topic_id, documents.document_id
