#!/bin/bash
# Prints one digest of everything that the saved plan $1 would change: equal digests, equal changes.
set -euo pipefail
terraform show -json "${1:?a plan}" |
    jq --compact-output --sort-keys \
        '{resources: [.resource_changes[]? | select(.mode == "managed" and .change.actions != ["no-op"])], outputs: .output_changes}' |
    sha256sum | cut -d ' ' -f 1
