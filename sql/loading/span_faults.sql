-- title: Rows that are no spans, and judged spans that an earlier row judges already
-- inputs: rows
-- parameters:
--   unit varchar in {characters, bytes, tokens, lines, pages} = characters   what start and end count
--   is_judged boolean = false                                                whether they are judgments
-- columns:
--   row         line of the file, or number of the row
--   reason      what is wrong
--   first_row   line or number of the row that judges the span already
with numbered as (
    select
        *,
        min(row) over (partition by topic, document, start, "end") as first_row
    from rows
)
select
    row,
    case
        when start is null then 'start is missing or no whole number below 2147483648'
        when "end" is null then 'end is missing or no whole number below 2147483648'
        when start < 0 then concat('start ', start, ' is below 0')
        when "end" < start then concat('end ', "end", ' is before start ', start)
        when "end" = start and $unit not in ('lines', 'pages')
            then concat('the span from ', start, ' to ', "end", ' is empty; its end is the first place behind it')
        when grade is null then 'grade is missing or no whole number'
        else concat(
            'the span from ', start, ' to ', "end", ' of document ', document, ' is already judged for topic ', topic
        )
    end as reason,
    case when start >= 0 and "end" >= start and first_row < row then first_row end as first_row
from numbered
where
    start is null
    or "end" is null
    or start < 0
    or "end" < start
    or ("end" = start and $unit not in ('lines', 'pages'))
    or grade is null
    or ($is_judged and first_row < row)
