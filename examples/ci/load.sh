#!/bin/sh
# A load test for hdrscope ab: starts the service of this folder, waits until it answers, loads it, and ends it.
# SERVICE, URL, RATE and SECONDS_LONG may be set.
set -eu
url="${URL:-http://127.0.0.1:3000/}"
${SERVICE:-node server.js} &
service=$!
trap 'kill "$service"' EXIT
until curl --silent --fail --output /dev/null "$url"; do sleep 0.1; done
node load.mjs "$url" "${RATE:-200}" "${SECONDS_LONG:-10}" > "$HDRSCOPE_RUN_FILE"
