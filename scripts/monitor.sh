#!/bin/sh
# Start the StatsD exporter, Prometheus and Alertmanager on this machine from the files in monitoring/, until Ctrl-C.
set -eu
cd "$(dirname "$0")/.."

say() { echo "rowgate: $*" >&2; }
exporter=.rowgate/bin/statsd_exporter
[ -x "$exporter" ] || { say "the StatsD exporter is not built; install Go, then run make servers."; exit 2; }
alertmanager="$(command -v prometheus-alertmanager || command -v alertmanager)" || alertmanager=""
if ! command -v prometheus >/dev/null || [ -z "$alertmanager" ]; then
    say "Prometheus and Alertmanager are not both installed (Debian: prometheus, prometheus-alertmanager)."
    exit 2
fi

# The files name the services of docker-compose.yml; here everything has this machine's address.
here="$PWD"
state=.rowgate/monitoring
mkdir -p "$state"
sed 's|statsd-exporter:|127.0.0.1:|; s|alertmanager:9093|127.0.0.1:9093|; s|\[alerts/|['"$here"'/monitoring/alerts/|' \
    monitoring/prometheus.yml >"$state/prometheus.yml"
sed 's|/etc/alertmanager/owners|'"$here"'/docker/owners|' monitoring/alertmanager.yml >"$state/alertmanager.yml"

started=""
# shellcheck disable=SC2086 # several process ids
trap 'kill $started 2>/dev/null; wait' EXIT
trap 'exit 0' INT TERM
"$exporter" --statsd.listen-udp=127.0.0.1:8125 --statsd.listen-tcp= --web.listen-address=127.0.0.1:9102 \
    --statsd.mapping-config=monitoring/statsd_mapping.yml --log.level=error &
started="$started $!"
"$alertmanager" --config.file="$state/alertmanager.yml" --storage.path="$state/alertmanager" \
    --web.listen-address=127.0.0.1:9093 --cluster.listen-address= --log.level=warn &
started="$started $!"
prometheus --config.file="$state/prometheus.yml" --storage.tsdb.path="$state/prometheus" \
    --web.listen-address=127.0.0.1:9090 --log.level=warn &
started="$started $!"
say "Prometheus: http://127.0.0.1:9090  Alertmanager: http://127.0.0.1:9093  StatsD: 127.0.0.1:8125"
wait
