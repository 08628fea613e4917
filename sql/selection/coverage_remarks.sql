-- title: What is to be said of how runs match the topics of judgment sets, and of what these hold
-- inputs: covered
-- columns:
--   place    1 for the first line
--   about    topics, forms, missing, or more of these
--   remark   a line; of runs that miss topics or have others only the first ones
with irrelevant as (
    select
        qrels_id,
        topic_id
    from judged_documents
    group by qrels_id, topic_id
    having max(grade) < 1
    union all
    select
        qrels_id,
        topic_id
    from nuggets
    group by qrels_id, topic_id
    having count(case when importance = 'vital' then 1 end) = 0
),
forms(form, what) as (
    values
    ('groups', 'measures not of groups or subtopics go by a document''s highest grade'),
    ('preferences', 'measures of grades hold documents of a level above 0 for relevant'),
    ('spans', 'measures of documents go by the highest grade of a document''s spans'),
    (
        'strata',
        'xinfAP, infNDCG, statAP and statnDCG estimate what all judgments would give; other figures mislead, taking what was not drawn for not relevant'
    ),
    (
        'probabilities',
        'statAP and statnDCG estimate what all judgments would give; other figures mislead, taking what was not drawn for not relevant'
    ),
    ('nuggets', 'measures of answers go by them, such as VitalScore; those of rankings have no values')
),
totals as (
    select
        covered.qrels,
        qrels.form,
        forms.what,
        -- The topics averaged, then runs of which missing and extra topics are known, those that have some, and others.
        arg_max(covered.num_topics, covered.run) as num_topics,
        count(covered.missing_topics) as num_known,
        count(case when covered.missing_topics > 0 then 1 end) as num_missing,
        count(case when covered.extra_topics > 0 then 1 end) as num_left_out,
        count(case when covered.missing_topics is null then 1 end) as num_stored,
        (select count(*) from irrelevant where irrelevant.qrels_id = qrels.qrels_id) as num_irrelevant,
        list(covered.run order by covered.run) filter (
            where qrels.form = 'spans' and runs.run_id not in (select run_id from retrieved_spans)
        ) as spanless
    from covered
    join qrels using (qrels)
    join runs on runs.run = covered.run
    left join forms on forms.form = qrels.form
    group by covered.qrels, qrels.form, qrels.qrels_id, forms.what
),
of_runs as (
    select
        3 as part,
        concat('  ', run, ' misses ', missing_topics, ' of ', num_topics, ' topics (', qrels, ')') as remark,
        row_number() over (order by qrels, run) as nth
    from covered
    where missing_topics > 0
    union all
    select
        4 as part,
        concat(
            '  ', run, ' has ', count_of(extra_topics, 'topic'), ' without judgments beside ',
            num_topics - missing_topics, ' with (', qrels, ')'
        ) as remark,
        row_number() over (order by qrels, run) as nth
    from covered
    where extra_topics > 0
),
remarks(part, qrels, nth, about, remark) as (
    select
        1,
        qrels,
        1,
        'topics',
        concat(
            qrels, ': ', count_of(num_topics, 'topic'), ' averaged',
            case when num_missing > 0 then concat(', runs that miss topics: ', num_missing, ' of ', num_known) end,
            case when num_left_out > 0 then concat(', runs with topics left out: ', num_left_out, ' of ', num_known) end,
            case when num_stored > 0 then concat(', not known of ', num_stored, ' with stored scores') end
        )
    from totals
    where num_missing > 0 or num_left_out > 0 or num_stored > 0
    union all
    select 1, qrels, 2, 'forms', concat('  ', qrels, ' holds ', form, ': ', what)
    from totals
    where what is not null
    union all
    select
        1,
        qrels,
        3,
        'forms',
        concat('  ', first_names(spanless), ': results without start and end, so that measures of spans are 0')
    from totals
    where len(spanless) > 0
    union all
    select
        1,
        qrels,
        4,
        'forms',
        concat(
            '  ', qrels, ': topics without a ', case when form = 'nuggets' then 'vital nugget' else 'relevant document' end,
            ': ', num_irrelevant, ' of ', num_topics, ', averaged as ',
            case when form = 'nuggets' then 'nuggetizer does, as 0 of vital nuggets' else 'trec_eval does, mostly as 0' end
        )
    from totals
    where num_irrelevant > 0
    union all
    select part, null, nth, 'missing', remark
    from of_runs
    where nth <= 5
    union all
    select part, null, 6, 'more', concat('  ... and ', count(*), ' more, see evalsql ls')
    from of_runs
    where nth > 5
    group by part
)
select
    row_number() over (order by part, qrels, nth) as place,
    about,
    remark
from remarks
