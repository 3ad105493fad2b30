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
if ! command -v npm >/dev/null; then
    echo "npm is needed to fetch $package and was not found; install Node.js, or do without the accessibility tests." >&2
    exit 1
fi

mkdir -p "$folder"
work="$(mktemp -d "$folder/fetch.XXXXXX")"
trap 'rm -rf "$work"' EXIT
(cd "$work" && npm pack --silent "$package" >/dev/null)
mv "$work"/*.tgz "$work/package.tgz"
if ! echo "$sha512  $work/package.tgz" | sha512sum --check --status; then
    echo "$package is not what was pinned: its SHA-512 differs. Nothing was kept." >&2
    exit 1
fi
tar -xzf "$work/package.tgz" -C "$work"
mv "$work/package/axe.min.js" "$folder/axe.min.js"
echo "$folder/axe.min.js"
