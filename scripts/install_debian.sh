#!/bin/sh
# install_debian.sh COMMAND PACKAGE WHAT: a program that tests run, from Debian, unless there is one already.
set -eu
command=$1 package=$2 what=$3

if command -v "$command" >/dev/null || [ -x "/usr/sbin/$command" ]; then
    exit 0
fi
if ! command -v apt-get >/dev/null; then
    echo "There is no $command and no apt-get to install it with." >&2
    exit 1
fi
as_root=""
if [ "$(id -u)" != 0 ]; then
    if ! sudo -n true 2>/dev/null; then
        echo "Installing $command needs root: sudo apt-get install -y $package" >&2
        exit 1
    fi
    as_root="sudo -n"
fi
echo "Installing $what, once …"
# RUNLEVEL: without starting it, the tests run their own.
install() { $as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends "$package" >/dev/null; }
install || { $as_root apt-get update -qq && install; }
