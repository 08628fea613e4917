-- title: Files whose first rows are those of some other table than a run
-- inputs: first_rows
-- columns: file_id
--   line          line of its first row
--   num_columns   how many columns that has
with compared as (
    select
        file_id,
        line,
        num_columns,
        topic = lead(topic) over places as is_followed,
        rank < lead(rank) over places as goes_up,
        rank <> trunc(rank)
        and try_cast(document as bigint) + 1 = try_cast(lead(document) over places as bigint) as counts_before,
        count(*) over (partition by file_id, tag) as same_tag,
        count(*) over (partition by file_id, second) as same_second
    from first_rows
    window places as (partition by file_id order by line)
),
files_seen as (
    select
        file_id,
        min(line) as line,
        arg_min(num_columns, line) as num_columns,
        count(*) filter (num_columns > 6) >= 0.9 * count(*) as is_wide,
        count(*) filter (is_followed and goes_up) >= 0.9 * count(*) filter (is_followed) as has_ranks,
        count(*) filter (is_followed and counts_before) >= greatest(1, 0.9 * count(*) filter (is_followed))
            as is_shifted,
        max(same_tag) / count(*) as share_of_tag,
        max(same_second) / count(*) as share_of_second
    from compared
    group by file_id
)
select
    file_id,
    line,
    num_columns
from files_seen
-- A run's tag may hold blanks, but is the same in nearly all rows; where there are more than six columns the second one
-- is too, or the ranks go up. Of six columns only tags that differ beside ranks that do not go up are another's.
-- If documents count up and ranks are no whole numbers, these columns are ranks and scores.
where
    is_shifted
    or not case
        when is_wide then share_of_tag >= 0.9 and (has_ranks or share_of_second >= 0.9)
        else share_of_tag >= 0.5 or has_ranks
    end
