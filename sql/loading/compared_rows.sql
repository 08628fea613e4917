-- title: Staged rows with what the tie rule compares of each
-- inputs: staged
-- parameters:
--   tie_rule varchar in {trec_eval, trec_eval_10, rank, input} = trec_eval   how documents are ordered
--   lower_is_better boolean = false                                          whether smaller scores are better
-- columns:
--   position   place among the staged rows
--   file_id    number of the staged file
--   topic      topic
--   document   document
--   given      what is compared before the score, less being better; 0 if that is nothing
--   strength   what is compared of the score, more being better
select
    position,
    file_id,
    topic,
    document,
    case
        when $tie_rule = 'rank' then given_rank
        when $tie_rule = 'input' then position
        else 0
    end as given,
    comparison_score(score, $tie_rule, $lower_is_better) as strength
from staged
