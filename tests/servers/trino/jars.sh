#!/bin/sh
# Brings Trino's jars into .rowgate/trino/lib and .rowgate/trino/hive, as pom.xml names them. A second time it does nothing.
set -eu
cd "$(dirname "$0")/../../.."
pom=tests/servers/trino/pom.xml
log=.rowgate/logs/trino.log
mkdir -p .rowgate/trino .rowgate/logs

for profile in lib hive; do
    folder=.rowgate/trino/$profile
    if cmp -s "$pom" "$folder/pom.xml"; then continue; fi
    command -v mvn >/dev/null || { echo "trino: Maven brings its jars and there is no mvn here; install it (Debian: apt-get install maven)." >&2; exit 2; }
    echo "trino: fetching the jars of $profile"
    rm -rf "$folder"
    mvn --batch-mode --quiet --file "$pom" --activate-profiles "$profile" dependency:copy-dependencies \
        -DoutputDirectory="$PWD/$folder" >"$log" 2>&1 ||
        { echo "trino: Maven could not bring the jars of $profile, as without a network; $log has its words." >&2; exit 1; }
    cp "$pom" "$folder/pom.xml"
done
