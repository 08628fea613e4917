-- title: What a tie rule compares of a score, more being better
-- parameters:
--   score double = null              score as it stood in the file
--   tie_rule varchar = null          trec_eval, trec_eval_10, rank or input
--   lower_is_better boolean = null   whether a smaller score is the better one
-- definition: The score as a 32-bit float under trec_eval, else the score itself; with its sign turned where lower is
--     better. 3.4028234663852886e38 is the greatest 32-bit float: what would be rounded beyond it is infinite there,
--     and ties.
-- reference: trec_eval 9.0.8, which holds scores in variables of type float; IEEE 754
case
    when $tie_rule <> 'trec_eval' then case when $lower_is_better then -$score else $score end
    when abs($score) >= 3.4028235677973366e38 then case when ($score < 0) = $lower_is_better then 1e39 else -1e39 end
    else cast(
        cast(
            least(
                greatest(case when $lower_is_better then -$score else $score end, -3.4028234663852886e38),
                3.4028234663852886e38
            ) as real
        ) as double
    )
end
