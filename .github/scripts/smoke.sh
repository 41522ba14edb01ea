#!/bin/bash
# Runs made-up users into the Postgres of AIRFLOW_CONN_POSTGRES_DEFAULT twice: the first time they get into it, as the
# run's report says, and the second time none is new. psql finds the same server by PGHOST, PGUSER, PGPASSWORD, PGDATABASE.
set -euo pipefail
cd "$(dirname "$0")/../.."
ROWGATE_STATE=$(mktemp -d)
export ROWGATE_STATE
trap 'rm -rf "$ROWGATE_STATE"' EXIT

.venv/bin/rowgate run users --rows 1000 --seed 7
.venv/bin/rowgate run users --rows 1000 --seed 7

# One line of JSON a run.
reports=$(cat "$ROWGATE_STATE"/lake/quality/users/dt=*/*.json | jq --slurp 'sort_by(.started_at)')
rows=$(psql --no-align --tuples-only --command 'SELECT count(*) FROM warehouse.users')
jq --exit-status --argjson rows "$rows" '
    map(.outcome) == ["passed", "passed"]
    and .[0].inserted > 0 and .[0].inserted == $rows
    and .[1].inserted == 0 and .[1].unchanged == $rows' <<<"$reports" >/dev/null ||
    { echo "smoke: the warehouse holds $rows rows, the reports say $reports" >&2; exit 1; }
echo "smoke: $rows rows in the warehouse, as the report says; the same file again added none"
