-- title: The run that a report compares with where none is named, and why
-- inputs: placed
-- parameters:
--   advice varchar = null   how another is taken
-- columns:
--   run      the run
--   remark   a line on the choice, and on systems that share a place; null for two runs or one
-- definition: Rows of placed are places of runs by one measure, as measure_places has them. The run, never the first,
--     is one whose name has the word baseline, else bm25, the shortest name of several; else the one in the middle.
with ordered as (
    select
        run,
        place,
        position,
        count(*) over () as num_runs,
        count(*) over (partition by place) as num_sharing,
        case
            when position = 1 then null
            when contains(lower(run), 'baseline') then 'baseline'
            when contains(lower(run), 'bm25') then 'bm25'
        end as word
    from placed
),
chosen as (
    select *
    from ordered
    where
        word is not null
        or position = num_runs // 2 + 1
    order by word nulls last, len(run), run
    limit 1
)
select
    chosen.run,
    case
        when chosen.num_runs > 2
            then concat(
                'No baseline was named, so ', chosen.run, ' (place ', chosen.place, ' of ', chosen.num_runs,
                ') was chosen: ', coalesce(
                    'its name says ' || chosen.word,
                    'it stands in the middle, and no name after the first says baseline or bm25'
                ),
                (
                    select
                        string_agg(
                            concat('; ', shared.num_sharing, ' share place ', shared.place),
                            '' order by shared.place
                        )
                    from (
                        select distinct
                            place,
                            num_sharing
                        from ordered
                    ) as shared
                    where
                        shared.num_sharing > 1
                        and shared.place in (1, chosen.place)
                ),
                '. ', $advice, ' takes another.'
            )
    end as remark
from chosen
