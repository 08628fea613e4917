# Short names for what one does every day; `just --justfile .justfile --list` shows them.

# lint, types, import rules
check:
    ruff check .
    ruff format --check .
    mypy
    lint-imports

# tests that take less than a minute
fast:
    pytest -m fast

# all tests but the long ones
test:
    pytest

# the long ones
long:
    pytest -m long

# the pages and the picture that are made from headers, tests and examples
docs:
    python -m tests.tools.measures_page
    python -m tests.tools.depth --write
    python -m tests.tools.readme
    python -m tests.tools.formats_table
    python -m tests.tools.weight --write
    here=$PWD && cd "$(mktemp -d)" && evalsql demo > demo.txt \
        && evalsql report -o report.html --db evalsql-demo.duckdb \
        && chromium --headless --no-sandbox --hide-scrollbars --window-size=1200,770 \
            --screenshot="$here/.github/report.png" "$PWD/report.html"

# the site of documentation, into the folder site; it needs the extra docs
site:
    mkdocs build --strict -f .github/docs/mkdocs.yml

# speed, memory and size beside the peers
bench *names:
    python -m tests.bench {{names}}

# the suite with the newest duckdb and sqlglot
newest:
    .ci/newest
