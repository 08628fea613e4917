-- title: What each ranking makes of each preference
-- parameters:
--   ties varchar in {rule, worst, best, expected} = rule   order of tied documents: the tie rule's, or
--                                     what is expected over all orders; from that preference_swings
--                                     leads to the worst and the best
-- columns:
--   evaluation_id    key of the evaluation
--   judgment_group   who prefers
--   better_id        key of the document preferred
--   worse_id         key of the other document
--   share            1 divided by the number of groups that prefer either of the two to the other
--   num_ret          how many of the two are retrieved
--   tied_rank        place of the first document of the tie if the two are tied, else null
--   fulfilled        1 if the one preferred is retrieved, and the other below it or not at all, else 0; over all
--                    orders the share of those in which that is so, which is a half if the two are tied
select
    evaluated_topics.evaluation_id as evaluation_id,
    preference_pairs.judgment_group as judgment_group,
    preference_pairs.better_id as better_id,
    preference_pairs.worse_id as worse_id,
    preference_pairs.share as share,
    case when better.rank is null then 0 else 1 end + case when worse.rank is null then 0 else 1 end as num_ret,
    case when better.first_rank = worse.first_rank then better.first_rank end as tied_rank,
    case
        when $ties <> 'rule' and better.first_rank = worse.first_rank then cast(0.5 as double)
        when better.rank is not null and (worse.rank is null or better.rank < worse.rank) then cast(1 as double)
        else cast(0 as double)
    end as fulfilled
from evaluated_topics
join preference_pairs
    on preference_pairs.qrels_id = evaluated_topics.qrels_id
    and preference_pairs.topic_id = evaluated_topics.topic_id
left join preference_ranks as better
    on better.evaluation_id = evaluated_topics.evaluation_id
    and better.document_id = preference_pairs.better_id
left join preference_ranks as worse
    on worse.evaluation_id = evaluated_topics.evaluation_id
    and worse.document_id = preference_pairs.worse_id
