-- title: How far judgment sets agree on the order of runs by the same measure
-- parameters:
--   reference varchar = null    judgment set that all others are compared with; null: every pair once
--   digits integer in [0, 15] = 12    decimal places of the means that are compared: to 4 runs are tied as printed
-- columns: measure
--   qrels          the reference, or the judgment set whose name comes first
--   other          judgment set compared with it
--   num_runs       runs that are evaluated with both
--   tau_b          Kendall's tau-b; null where it is not defined
--   rho            Spearman's rho, tied runs having the mean of their ranks; null where it is not defined
--   tau_ap         tau_AP of the order under the other, that under the first being taken for true; expected over all
--                  orders of tied runs
--   tau_ap_other   tau_AP of the order under the first, that under the other being taken for true
--   note           one run, or all tied: where there is nothing to order; null otherwise
-- definition: The relation run_agreements over the means of the view summary, by each measure. The judgment sets need
--     not have the same topics.
-- reference: Kendall 1945, doi:10.1093/biomet/33.3.239; Spearman 1904; Yilmaz, Aslam and Robertson 2008, A new rank
--     correlation coefficient for information retrieval, doi:10.1145/1390334.1390435
select
    agreements.held as measure,
    agreements.reference as qrels,
    agreements.other,
    agreements.num_runs,
    agreements.tau_b,
    agreements.rho,
    agreements.tau_ap,
    agreements.tau_ap_other,
    agreements.note
from run_agreements(across := 'qrels', reference := $reference, digits := $digits) as agreements
