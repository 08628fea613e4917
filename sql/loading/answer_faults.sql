-- title: Staged assignments or citations that cannot be loaded
-- inputs: staged, row_faults
-- columns: file_id, line, reason
-- definition: What assignment_faults or citation_faults has of their rows, and each run that has scores from elsewhere.
select
    file_id,
    line,
    reason
from row_faults
union all
select
    min(file_id) as file_id,
    0 as line,
    concat('only scores are stored of run ', run, ', which come from elsewhere; evalsql drop runs takes them out') as reason
from staged
where
    run in (
        select runs.run
        from runs
        where runs.run_id in (select run_id from stored_scores union select run_id from collection_scores)
    )
group by run
