#!/bin/bash
# Runs users_etl in the started stack of docker-compose.yml, waits for its end, and looks for people in the marts.
set -euo pipefail
run="smoke-$(date +%s)"
airflow() { docker compose exec -T scheduler airflow "$@"; }

# The DAG processor may not have read the DAGs yet.
for attempt in $(seq 30); do
    if airflow dags trigger users_etl --run-id "$run" --conf '{"rows": 1000, "seed": 7}' >/dev/null; then break; fi
    test "$attempt" -lt 30
    sleep 5
done

state=queued
for _ in $(seq 120); do
    # The answer is one line; lines of the log may stand before it.
    state=$(airflow dags list-runs users_etl --output json | grep '^\[{' |
        jq --raw-output --arg run "$run" '.[] | select(.run_id == $run).state')
    case "$state" in
    success | failed) break ;;
    *) sleep 5 ;;
    esac
done
echo "users_etl: $state"
test "$state" = success

cities=$(docker compose exec -T postgres psql --username postgres --dbname warehouse --no-align --tuples-only \
    --command 'SELECT count(*) FROM marts.users_by_city')
echo "marts.users_by_city: $cities rows"
test "$cities" -gt 0
