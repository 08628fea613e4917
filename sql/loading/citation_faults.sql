-- title: Staged citations that cannot be loaded
-- inputs: staged, named_nuggets
-- columns: file_id, line, reason
-- definition: Each document that a sentence cites stands once, with its support; a sentence that cites none has one row
--    without a document and without support. Topics are those of the nuggets.
with placed as (
    select
        staged.*,
        concat(
            'run ', staged.run, ', topic ', staged.topic, ', sentence ', staged.sentence, coalesce(', document ' || staged.document, '')
        ) as place
    from staged
),
numbered as (
    select
        file_id,
        line,
        place,
        document,
        row_number() over (partition by run, topic, sentence, document order by file_id, line) as nth,
        min(document) over (partition by run, topic, sentence) as cited
    from placed
)
select
    file_id,
    line,
    concat(place, ': support is ', support, ', expected 2, FS or full_support; 1, PS or partial_support; 0, NS or no_support') as reason
from placed
where
    support not in ('FS', 'PS', 'NS', 'full_support', 'partial_support', 'no_support')
    and coalesce(try_cast(support as double) not in (2, 1, 0), true)
union all
select
    file_id,
    line,
    concat(place, ': the citation was not judged; 0, NS or no_support says that the document does not support the sentence')
        as reason
from placed
where document is not null and support is null
union all
select
    file_id,
    line,
    concat(place, ': has support and no document') as reason
from placed
where document is null and support is not null
union all
select
    file_id,
    line,
    concat(place, case when nth > 1 then ': stands there already' else ': cites a document in another row' end) as reason
from numbered
where nth > 1 or (document is null and cited is not null)
union all
select
    file_id,
    line,
    concat(place, ': the judgments have no nugget of the topic') as reason
from placed
where topic not in (select named_nuggets.topic from named_nuggets)
