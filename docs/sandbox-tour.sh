#!/bin/sh
# A tour of the API with the tokens of its sandbox: every answer but the 500, and what to look at in each.
#
#   set -a; . ./sandbox.env; set +a
#   sh sandbox-tour.sh https://programs.example.com
#
# Needs a POSIX shell and curl. Ends with 0 when every answer was the expected one.

set -u
base=${1:?usage: sh sandbox-tour.sh BASE_URL}
base=${base%/}
: "${SANDBOX_TOKEN:?set the variables of sandbox.env first}"
: "${SANDBOX_TOKEN_SMALL_QUOTA:?}" "${SANDBOX_TOKEN_WITHOUT_SCOPE:?}"
: "${SANDBOX_TOKEN_EXPIRED:?}" "${SANDBOX_TOKEN_REVOKED:?}"

answer=$(mktemp -d) || exit 1
trap 'rm -rf "$answer"' EXIT
failed=0

# ask STATUS WHAT METHOD PATH TOKEN [HEADER]: one request; HEADER is the one to look at.
ask() {
  request "$3" "$4" "$5"
  show "$1" "$2" "${6:-}"
}

# request METHOD PATH TOKEN: leaves the answer to be shown.
# Tokens go to curl by its standard input, where no list of processes shows them.
request() {
  method=$1 path=$2 token=$3
  set -- --silent --compressed --max-time 30 --path-as-is --request "$method" \
    --dump-header "$answer/head" --output "$answer/body" --write-out '%{http_code}'
  if [ "$method" = HEAD ]; then set -- "$@" --head; fi
  status=$(
    if [ -n "$token" ]; then printf 'header = "Authorization: Bearer %s"\n' "$token"; fi |
      curl "$@" --config - "$base$path"
  )
}

# show STATUS WHAT [HEADER]: what became of the last request.
show() {
  expected=$1 what=$2 header=${3:-}
  if [ "$status" = "$expected" ]; then verdict=ok; else verdict="EXPECTED $expected"; failed=1; fi
  printf '%s  %-10s %-4s %-32s %s\n' "$status" "$verdict" "$method" "$path" "$what"
  if [ -n "$header" ]; then
    grep -i "^$header:" "$answer/head" | tr -d '\r' | sed 's/^/                 /'
  fi
}

ask 200 'the list' GET /v1/programs "$SANDBOX_TOKEN" RateLimit
ask 200 'a detail, every field filled' GET /v1/programs/everything "$SANDBOX_TOKEN" Snapshot-Id
ask 200 'a detail, little known' GET /v1/programs/sparse "$SANDBOX_TOKEN"
ask 200 'sold out, and still there' GET /v1/programs/sold-out "$SANDBOX_TOKEN"
ask 200 'the deprecated list' GET /api/v1/partner/programs "$SANDBOX_TOKEN" Deprecation
ask 400 'an id that none can be' GET /v1/programs/-bad- "$SANDBOX_TOKEN"
ask 401 'no token' GET /v1/programs '' WWW-Authenticate
ask 401 'a mistyped token' GET /v1/programs ppr_mistyped WWW-Authenticate
ask 401 'an expired token' GET /v1/programs "$SANDBOX_TOKEN_EXPIRED"
ask 401 'a revoked token' GET /v1/programs "$SANDBOX_TOKEN_REVOKED"
ask 403 'a token without the scope' GET /v1/programs "$SANDBOX_TOKEN_WITHOUT_SCOPE" WWW-Authenticate
ask 404 'a program that was cancelled' GET /v1/programs/cancelled "$SANDBOX_TOKEN"
ask 404 'a program that never was' GET /v1/programs/never "$SANDBOX_TOKEN"
ask 404 'a path that is none' GET /v1/tours "$SANDBOX_TOKEN"
ask 405 'another method' POST /v1/programs "$SANDBOX_TOKEN" Allow
ask 405 'HEAD, too' HEAD /v1/programs "$SANDBOX_TOKEN"

# The small quota is three requests in a window. An earlier tour may have used it up, and the window may end just now.
status=
quota=0
while [ "$quota" -lt 8 ] && [ "$status" != 429 ]; do
  quota=$((quota + 1))
  request GET /v1/programs "$SANDBOX_TOKEN_SMALL_QUOTA"
done
show 429 'a quota that is used up' Retry-After

if [ "$failed" = 0 ]; then echo 'Every answer was the expected one.'; else echo 'Some answers were not the expected ones.'; fi
exit "$failed"
