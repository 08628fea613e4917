-- title: Rows of rankings in the order of their lines, ranked by score, with tied documents in another order
-- inputs: lines
-- parameters:
--   ties varchar in {names, lines, lines_reversed} = names   how documents of one score stand: by name from the
--                                                            beginning, as the lines do, or as these do from the end
-- columns: run_id, topic_id
--   rank          rank from 1
--   tied_above    0, as nothing is held for tied
--   document_id   key of the document
--   score         score as it stood in the file; scores are compared as 64-bit numbers
select
    lines.run_id,
    lines.topic_id,
    cast(
        row_number() over (
            partition by lines.run_id, lines.topic_id
            order by
                lines.score desc,
                case when $ties = 'names' then documents.document end,
                case when $ties = 'lines_reversed' then -lines.rank else lines.rank end
        ) as integer
    ) as rank,
    0 as tied_above,
    lines.document_id,
    lines.score
from lines
join documents using (document_id)
order by lines.run_id, lines.topic_id, rank
