#!/bin/bash
# Writes GitHub's token for AWS into the file $1. With AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE Terraform exchanges
# it for keys that live an hour; none is stored anywhere.
set -euo pipefail
umask 077
curl --fail --silent --show-error --retry 3 --header "Authorization: bearer ${ACTIONS_ID_TOKEN_REQUEST_TOKEN:?the job needs id-token: write}" \
    "${ACTIONS_ID_TOKEN_REQUEST_URL:?}&audience=sts.amazonaws.com" | jq --exit-status --raw-output .value >"${1:?a file}"
