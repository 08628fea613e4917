-- title: The least and the greatest utility, whatever grades the unjudged documents have
-- parameters: found, false_alarm, missed, rejected, collection, rel, most, unseen
--   found double = 1              worth of a relevant document retrieved
--   false_alarm double = -1       worth of another document retrieved
--   missed double = 0             worth of a relevant document not retrieved
--   rejected double = 0           worth of another document not retrieved
--   collection integer = 0        number of documents in the collection, for the last of these
-- columns: qrels, run, topic, least, greatest, num_holes, num_unseen
-- definition: A relevant hole changes the utility by found - false_alarm, a relevant document that is unseen by
--    missed - rejected. Each kind is taken in full where it moves the value the way that is looked for.
with counted as (
    select
        qrels,
        run,
        topic,
        $found * num_rel_ret
        + $false_alarm * (num_ret - num_rel_ret)
        + $missed * (num_rel - num_rel_ret)
        + $rejected * ($collection + num_rel_ret - num_ret - num_rel) as value,
        ($found - $false_alarm) * new_rel as by_holes,
        ($missed - $rejected) * new_unseen as by_unseen,
        num_holes,
        num_unseen
    from hole_counts(
        rel := $rel,
        most := $most,
        -- They are not counted where they are worth the same in any case.
        unseen := case when $missed = $rejected then 0 else $unseen end
    )
)
select
    qrels,
    run,
    topic,
    value + least(by_holes, 0) + least(by_unseen, 0) as least,
    value + greatest(by_holes, 0) + greatest(by_unseen, 0) as greatest,
    num_holes,
    num_unseen
from counted
