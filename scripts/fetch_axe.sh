#!/bin/sh
# axe-core, which finds what is not accessible: for the browser tests only, pinned by its hash.
set -eu

package="axe-core@4.14.0"
sha512="f564d9c448ec67b6f5dd31fc24f99b576cfc0876e5f34ff6866dd73c41b82603\
5d40b2bcd480515e64b11df3003a44aa41e4714ffd1dc0d0f3d863a6df3ce971"
folder="$(cd "$(dirname "$0")/.." && pwd)/.cache/axe"

if [ -s "$folder/axe.min.js" ]; then
    echo "$folder/axe.min.js is there already."
    exit 0
fi
. "$(dirname "$0")/npm_package.sh"
fetch_package "$package" "$sha512" "$folder" "the accessibility tests"
mv "$work/package/axe.min.js" "$folder/axe.min.js"
echo "$folder/axe.min.js"
