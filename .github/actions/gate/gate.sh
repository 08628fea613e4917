#!/usr/bin/env bash
# What action.yml runs. It takes its inputs from variables and writes everything into the folder evalsql-gate: a comment,
# a report and JUnit's file. It ends with the exit code of evalsql gate.
set -euo pipefail

folder=evalsql-gate
mkdir -p "$folder"
export EVALSQL_DB=$folder/warehouse.duckdb
rm -f "$folder"/{warehouse.duckdb,rules.md,compare.csv,comment.md,report.html,junit.xml}

mapfile -t runs < <(grep -v '^ *$' <<<"$RUNS")
options=()
while IFS= read -r rule; do
    if [ -n "$rule" ]; then options+=(--rule "$rule"); fi
done <<<"$RULES"
if [ -n "$BASELINE" ]; then options+=(--baseline "$BASELINE"); fi

code=0
{
    evalsql load qrels "$QRELS" --name judged &&
        evalsql load runs "${runs[@]}" &&
        evalsql gate "$CANDIDATE" "${options[@]}" --junit "$folder/junit.xml" -o "$folder/rules.md"
} 2>"$folder/notes.txt" || code=$?
cat "$folder/notes.txt" >&2

has_baseline_run=false
if [ -n "$BASELINE" ] && [ ! -f "$BASELINE" ]; then has_baseline_run=true; fi
{
    case $code in
    0) echo "## $CANDIDATE passes" ;;
    1) echo "## $CANDIDATE breaks a rule" ;;
    *) echo "## $CANDIDATE could not be judged" ;;
    esac
    if [ -f "$folder/rules.md" ]; then
        echo && cat "$folder/rules.md"
    else
        echo && sed 's/^/    /' "$folder/notes.txt"
    fi
    if [ $code -le 1 ] && $has_baseline_run; then
        echo && echo "### Beside $BASELINE" && echo
        evalsql compare "$BASELINE" "$CANDIDATE" -m "$MEASURES" -o "$folder/compare.csv"
        evalsql sql "
            select measure, baseline_mean, mean, difference, low, high, p_corrected, wins, losses
            from read_csv('$folder/compare.csv')" --external --format markdown
        echo && echo "### Topics that fell most" && echo
        evalsql diff "$CANDIDATE" "$BASELINE" -m "${MEASURES%%,*}" --losses --most 5 --format markdown
    fi
} >"$folder/comment.md"
if [ $code -le 1 ]; then
    evalsql report -o "$folder/report.html" || echo "the report was not written" >&2
fi

if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat "$folder/comment.md" >>"$GITHUB_STEP_SUMMARY"; fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
    echo "passes=$([ $code -eq 0 ] && echo true || echo false)" >>"$GITHUB_OUTPUT"
    echo "comment=$folder/comment.md" >>"$GITHUB_OUTPUT"
fi
exit $code
