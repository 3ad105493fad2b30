#!/bin/sh
# The proxy of the access tests: Debian's nginx, unless there is one already.
set -eu

if command -v nginx >/dev/null || [ -x /usr/sbin/nginx ]; then
    exit 0
fi
if ! command -v apt-get >/dev/null; then
    echo "There is no nginx and no apt-get to install it with." >&2
    exit 1
fi
as_root=""
if [ "$(id -u)" != 0 ]; then
    if ! sudo -n true 2>/dev/null; then
        echo "Installing nginx needs root: sudo apt-get install -y nginx-light" >&2
        exit 1
    fi
    as_root="sudo -n"
fi
echo "Installing nginx for the tests of access (about 5 MB, once) …"
# Without starting it: the tests run their own.
install() { $as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends nginx-light >/dev/null; }
install || { $as_root apt-get update -qq && install; }
