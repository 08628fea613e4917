-- title: How far measures agree on the order of runs
-- parameters:
--   reference varchar = null    canonical name of a measure that all others are compared with; null: every pair once
--   digits integer in [0, 15] = 12    decimal places of the means that are compared: to 4 runs are tied as printed
-- columns: qrels
--   measure        the reference, or the measure whose name comes first
--   other          measure compared with it
--   num_runs       runs that both have a mean for
--   tau_b          Kendall's tau-b; null where it is not defined
--   rho            Spearman's rho, tied runs having the mean of their ranks; null where it is not defined
--   tau_ap         tau_AP of the order by the other, that by the measure being taken for true; expected over all orders
--                  of tied runs
--   tau_ap_other   tau_AP of the order by the measure, that by the other being taken for true
--   note           one run, or all tied: where there is nothing to order; null otherwise
-- definition: The relation run_agreements over the means of the view summary, within each judgment set.
-- reference: Kendall 1945, doi:10.1093/biomet/33.3.239; Spearman 1904; Yilmaz, Aslam and Robertson 2008, A new rank
--     correlation coefficient for information retrieval, doi:10.1145/1390334.1390435
select
    agreements.held as qrels,
    agreements.reference as measure,
    agreements.other,
    agreements.num_runs,
    agreements.tau_b,
    agreements.rho,
    agreements.tau_ap,
    agreements.tau_ap_other,
    agreements.note
from run_agreements(across := 'measures', reference := $reference, digits := $digits) as agreements
