-- Every run once more, under a name and keys of its own, with what measures read of its judged documents. The variable
-- copy is the number of the copy.
set variable runs = (select max(run_id) + 1 from runs where not contains(run, ' copy '));

set variable evaluations = (
    select max(evaluation_id) + 1
    from evaluations
    where run_id < getvariable('runs')
);

insert into runs by name
select * replace (
    run_id + getvariable('copy') * getvariable('runs') as run_id,
    run || ' copy ' || getvariable('copy') as run
)
from runs
where run_id < getvariable('runs');

insert into run_topics by name
select * replace (run_id + getvariable('copy') * getvariable('runs') as run_id)
from run_topics
where run_id < getvariable('runs');

insert into evaluations by name
select * replace (
    run_id + getvariable('copy') * getvariable('runs') as run_id,
    evaluation_id + getvariable('copy') * getvariable('evaluations') as evaluation_id
)
from evaluations
where run_id < getvariable('runs');

insert into judged_ranks by name
select * exclude (first_rank, last_rank) replace (
    evaluation_id + getvariable('copy') * getvariable('evaluations') as evaluation_id
)
from judged_ranks
where evaluation_id < getvariable('evaluations');
