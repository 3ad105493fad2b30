#!/bin/sh
# The browser of the page's tests: Debian's Chromium, unless there is one already. MASIS_BROWSER names another.
set -eu

if [ -n "${MASIS_BROWSER:-}" ] || command -v chromium >/dev/null; then
    exit 0
fi
if ! command -v apt-get >/dev/null; then
    echo "There is no chromium and no apt-get to install it with: install one, or name one in MASIS_BROWSER." >&2
    exit 1
fi
as_root=""
if [ "$(id -u)" != 0 ]; then
    if ! sudo -n true 2>/dev/null; then
        echo "Installing chromium needs root: sudo apt-get install -y chromium" >&2
        exit 1
    fi
    as_root="sudo -n"
fi
echo "Installing Chromium for the tests of the page (about 350 MB, once) …"
install() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; }
install || { $as_root apt-get update -qq && install; }
