-- title: Staged spans ranked within each topic of each run, equal scores by document descending and by place ascending
-- inputs: compared_rows, staged
-- parameters:
--   tie_rule varchar in {trec_eval, trec_eval_10, rank, input} = trec_eval   how results are ordered
--   unit varchar in {characters, bytes, tokens, lines, pages} = characters   what start and end count; files name the
--                                                                            last line or page, which is in the span
-- columns: run_id, topic_id
--   rank          rank from 1
--   document_id   key of the document
--   span_start    where it begins
--   span_end      the first place behind it
--   score         score as it stood in the file
select
    compared_rows.run_id,
    compared_rows.topic_id,
    cast(
        row_number() over (
            partition by compared_rows.run_id, compared_rows.topic_id
            order by
                case $tie_rule when 'rank' then compared_rows.given_rank when 'input' then compared_rows.position else 0 end,
                compared_rows.strength desc,
                compared_rows.name_rank desc,
                staged.span_start,
                staged.span_end,
                compared_rows.position
        ) as integer
    ) as rank,
    compared_rows.document_id,
    staged.span_start,
    cast(staged.span_end as bigint) + case when $unit in ('lines', 'pages') then 1 else 0 end as span_end,
    compared_rows.score
from compared_rows
join staged using (position)
