#!/bin/bash
# Brings the Terraform of TERRAFORM_VERSION into the folder $1, once HashiCorp's signature on it is proved good.
set -euo pipefail
fingerprint=C874011F0AB405110D02105534365D9472D7468F # https://www.hashicorp.com/trust/security
name="terraform_${TERRAFORM_VERSION:?}"
from="https://releases.hashicorp.com/terraform/$TERRAFORM_VERSION"
folder="${1:?a folder}"
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
cd "$made"

fetch() { curl --fail --silent --show-error --location --proto =https --retry 3 --remote-name "$1"; }
fetch https://www.hashicorp.com/.well-known/pgp-key.txt
fetch "$from/${name}_SHA256SUMS"
fetch "$from/${name}_SHA256SUMS.sig"
fetch "$from/${name}_linux_amd64.zip"

export GNUPGHOME="$made/gnupg"
mkdir -m 700 "$GNUPGHOME"
gpg --batch --quiet --import pgp-key.txt
# The last field of VALIDSIG is the primary key's fingerprint (GnuPG's doc/DETAILS).
gpg --batch --status-fd 1 --verify "${name}_SHA256SUMS.sig" "${name}_SHA256SUMS" 2>/dev/null |
    grep --quiet "^\[GNUPG:\] VALIDSIG .* $fingerprint\$" ||
    { echo "terraform: HashiCorp's key did not sign ${name}_SHA256SUMS" >&2; exit 1; }
grep " ${name}_linux_amd64.zip\$" "${name}_SHA256SUMS" | sha256sum --check --strict --quiet
mkdir -p "$folder"
unzip -q -o "${name}_linux_amd64.zip" terraform -d "$folder"
