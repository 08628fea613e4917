-- title: The documents of ranked spans, each once, with what the tie rule compares of each
-- inputs: ranked_spans, document_ids
-- parameters:
--   collapse varchar in {max, first, sum} = max                              the score of a document: the best one of
--                                                                            its spans, that of the first one, the sum
--   tie_rule varchar in {trec_eval, trec_eval_10, rank, input} = trec_eval   how documents are ordered
--   lower_is_better boolean = false                                          whether smaller scores are better
-- columns: run_id, topic_id, document_id
--   name_rank    rank of the document's name among those staged
--   given_rank   rank of its first span
--   position     the same
--   score        score of the document
--   strength     what is compared of the score, more being better
with documents_of_spans as (
    select
        run_id,
        topic_id,
        document_id,
        min(rank) as first_rank,
        case $collapse
            when 'first' then arg_min(score, rank)
            when 'sum' then fsum(score)
            else case when $lower_is_better then min(score) else max(score) end
        end as score
    from ranked_spans
    group by run_id, topic_id, document_id
)
select
    documents_of_spans.run_id,
    documents_of_spans.topic_id,
    documents_of_spans.document_id,
    document_ids.name_rank,
    documents_of_spans.first_rank as given_rank,
    documents_of_spans.first_rank as position,
    documents_of_spans.score,
    comparison_score(documents_of_spans.score, $tie_rule, $lower_is_better) as strength
from documents_of_spans
join document_ids using (document_id)
