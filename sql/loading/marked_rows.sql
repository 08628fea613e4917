-- title: Staged rows at which the order of the lines does not say the rank by itself: starts of topics, rises, ties
-- inputs: compared_rows
-- columns:
--   position         place among the staged rows
--   file_id          number of the staged file
--   topic            topic
--   document         document
--   document_above   document of the row before
--   starts           whether the row before is of another file or topic
--   rises            whether the row belongs above the one before
--   ties             whether only their names part the two
--   head             position of the first of the rows that tie with each other; null where none does
with beside as (
    -- Windows without an order stream: they take the rows as they lie. Whether that is one after the other is checked.
    select
        *,
        lag(position) over () as position_above,
        lag(file_id) over () as file_above,
        lag(topic) over () as topic_above,
        lag(document) over () as document_above,
        lag(given) over () as given_above,
        lag(strength) over () as strength_above
    from compared_rows
),
near as (
    select
        *,
        coalesce(position_above = position - 1 and file_above = file_id and topic_above = topic, false) as continues
    from beside
    -- All rows pass by here, so conditions are few and simple; most rows meet none.
    where
        position_above is distinct from position - 1
        or file_above <> file_id
        or topic_above <> topic
        or given_above > given
        or (given_above = given and strength_above <= strength)
),
marked as (
    select
        *,
        not continues as starts,
        continues and (given_above > given or strength_above < strength) as rises,
        continues and given_above = given and strength_above = strength as ties
    from near
),
followed as (
    select
        *,
        row_number() over () as nth,
        coalesce(lag(ties) over () and lag(position) over () = position - 1, false) as follows_tie
    from marked
)
select
    position,
    file_id,
    topic,
    document,
    document_above,
    starts,
    rises,
    ties,
    -- As far back as the second of them, and one more.
    case
        when ties then
            position - nth - 1
            + max(case when ties and not follows_tie then nth end) over (rows unbounded preceding)
    end as head
from followed
