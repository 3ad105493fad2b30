#!/bin/sh
# Fetches the page's two libraries again, at the versions that vendor/README.md names.
set -eu

PREACT=10.29.8
HTM=3.1.1
vendor="$(cd "$(dirname "$0")/.." && pwd)/src/masis/api/web/static/vendor"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"

for package in "preact@$PREACT" "htm@$HTM"; do
    tarball="$(npm pack --silent "$package")"
    mkdir "${package%@*}"
    tar -xzf "$tarball" -C "${package%@*}"
done

# A browser resolves no bare name without an import map, and an import map would be an inline script.
without_map() { sed -e '/^\/\/# sourceMappingURL=/d' -e 's|from"preact"|from"./preact.js"|' "$1"; }
without_map preact/package/dist/preact.module.js > "$vendor/preact.js"
without_map preact/package/hooks/dist/hooks.module.js > "$vendor/preact-hooks.js"
without_map htm/package/dist/htm.module.js > "$vendor/htm.js"
cp preact/package/LICENSE "$vendor/preact.LICENSE.txt"
cp htm/package/LICENSE "$vendor/htm.LICENSE.txt"
