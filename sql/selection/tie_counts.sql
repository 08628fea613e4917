-- title: Whether runs compete with each other, and how many of their judged documents are tied
-- inputs: chosen
-- columns:
--   is_contest   whether a judgment set evaluates two of the runs
--   num_tied     judged documents that are tied with others
select
    exists(
        select 1
        from chosen
        group by qrels
        having min(run) < max(run)
    ) as is_contest,
    count(*) as num_tied
from judged_ranks
where
    first_rank < last_rank
    and evaluation_id in (select evaluation_id from chosen)
