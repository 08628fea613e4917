-- title: The least and the greatest nCG, whatever grades the unjudged documents have
-- parameters: k, dcg, gains, most, unseen
-- columns: qrels, run, topic, least, greatest, num_holes, num_unseen
--   least      least value; null where gains say that grade 0 gains something, or a grade less than a lower one
--   greatest   greatest value; null likewise
-- definition: See gain_share_bounds. Everything unseen has the greatest gain at the least value, and none at the
--    greatest.
select
    qrels,
    run,
    topic,
    least,
    greatest,
    num_holes,
    num_unseen
from gain_share_bounds(k := $k, dcg := $dcg, gains := $gains, most := $most, unseen := $unseen, discounted := false)
