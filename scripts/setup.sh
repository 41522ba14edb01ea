#!/bin/sh
# Finds a Python that can make environments and hands over to bootstrap.py. PYTHON=/path/to/python overrides the search.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
advice='Install one (Debian: apt-get install python3 python3-venv; macOS: brew install python@3.12) or name one: make setup PYTHON=/path/to/python3.12'
newest=''
bare=''

if [ -n "${PYTHON:-}" ]; then
    set -- "$PYTHON"
else
    # The environment's own Python first: another one on PATH is no reason to build everything again.
    set -- "$here/../.venv/bin/python" python3 python3.13 python3.12 python3.11
fi

for python in "$@"; do
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
    case $version in
        3.11 | 3.12 | 3.13)
            if "$python" -c 'import ensurepip, venv' 2>/dev/null; then
                exec "$python" "$here/bootstrap.py"
            fi
            bare=$version
            ;;
        *) newest=$version ;;
    esac
done

if [ -n "$bare" ]; then
    echo "rowgate: Python $bare is here, but without its venv and ensurepip modules. Install them (Debian: apt-get install python$bare-venv) and run this again." >&2
elif [ -n "${PYTHON:-}" ] && [ -z "$newest" ]; then
    echo "rowgate: PYTHON=$PYTHON is not a Python that can be run. $advice" >&2
elif [ -n "$newest" ]; then
    echo "rowgate: it needs Python 3.11, 3.12 or 3.13, and found only $newest. $advice" >&2
else
    echo "rowgate: it needs Python 3.11, 3.12 or 3.13, and found none. $advice" >&2
fi
exit 2
