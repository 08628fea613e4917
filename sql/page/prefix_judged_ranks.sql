-- title: The judged documents of cut rankings, as the base table judged_ranks has those of whole ones
-- inputs: prefix_keys, judged_ranks
-- columns:
--   evaluation_id   key of the cut ranking's evaluation
--   rank            place in the ranking
--   tied_above      documents tied with it above it
--   tied_below      documents tied with it below it, of those that are kept
--   judged_rank     place among the documents with a grade of 0 or more
--   relevant_rank   place among the documents with a grade of 1 or more
--   grade           the document's grade
--   document_id     key of the document
select
    prefix_keys.evaluation_id,
    judged_ranks.rank,
    judged_ranks.tied_above,
    least(judged_ranks.tied_below, prefix_keys.num_kept - judged_ranks.rank) as tied_below,
    judged_ranks.judged_rank,
    judged_ranks.relevant_rank,
    judged_ranks.grade,
    judged_ranks.document_id
from prefix_keys
join judged_ranks
    on judged_ranks.evaluation_id = prefix_keys.whole_evaluation_id
    and judged_ranks.rank <= prefix_keys.num_kept
