#!/bin/sh
# Brings the jars that pip's pyspark lacks into .rowgate/jars, as infra/spark/pom.xml names them, and holds each against
# infra/spark/jars.sha256. Arguments: profiles of the pom (s3, delta); both if left out. A second time it does nothing.
set -eu
cd "$(dirname "$0")/.."
pom=infra/spark/pom.xml
sums=infra/spark/jars.sha256
log=.rowgate/logs/jars.log

fail() {
    echo "jars: $1" >&2
    exit 1
}

sum() {
    if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi
}

# What stands in the list for one profile, and what lies in a folder, both as "digest  name" in order of the names.
listed() { sed -n "s|^\([0-9a-f]*\)  $1/|\1  |p" "$sums" | sort -k 2; }
found() { (cd "$1" && sum ./*.jar) | sed 's|  \./|  |' | sort -k 2; }

bring() {
    folder=.rowgate/jars/$1
    # The list as it was when the jars were held against it: reading 700 MB again takes seconds.
    if [ -f "$folder/checked" ] && listed "$1" | cmp -s - "$folder/checked"; then
        return
    fi
    command -v mvn >/dev/null || fail "Maven brings Spark's jars and there is no mvn here; install it (Debian: apt-get install maven)."
    echo "jars: fetching those for $1"
    made=.rowgate/jars/.$1.$$
    trap 'rm -rf "$made"' EXIT INT TERM
    mvn --batch-mode --quiet --file "$pom" --activate-profiles "$1" dependency:copy-dependencies \
        -DoutputDirectory="$PWD/$made" >"$log" 2>&1 ||
        fail "Maven could not bring the jars for $1, as without a network; $log has its words."
    found "$made" >"$made/checked"
    if [ "${ROWGATE_JARS_LIST:-}" = write ]; then # after a change of the pom, for a person to look at and commit
        { grep -v "  $1/" "$sums" 2>/dev/null || true; sed "s|  |  $1/|" "$made/checked"; } >"$sums.$$"
        sort -k 2 "$sums.$$" >"$sums"
        rm "$sums.$$"
    fi
    listed "$1" | cmp -s - "$made/checked" ||
        fail "the jars for $1 are not those of $sums; they are not used (ROWGATE_JARS_LIST=write after a change of $pom)."
    rm -rf "$folder"
    mv "$made" "$folder"
}

mkdir -p .rowgate/jars .rowgate/logs
for profile in "${@:-s3 delta}"; do
    for each in $profile; do bring "$each"; done
done
