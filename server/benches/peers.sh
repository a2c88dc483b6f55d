#!/bin/sh
# Installs the tools that `make bench` measures beside Callboard, below target/bench/peers and nowhere else.
# Needs python3, npm and, for Taskwarrior, a Debian system; what can't be had is left out and the table says so.
set -u
cd "$(dirname "$0")/../.." || exit 1
mkdir -p target/bench/peers && cd target/bench/peers || exit 1
if [ ! -x py/bin/taskops ]; then
    python3 -m venv py && py/bin/pip install --quiet --disable-pip-version-check taskops-cli clops-mcp
fi
if [ ! -x js/node_modules/.bin/backlog ]; then
    mkdir -p js && npm install --prefix js --no-audit --no-fund --silent backlog.md
fi
if [ ! -x deb/root/usr/bin/task ]; then
    mkdir -p deb && (cd deb && apt-get download taskwarrior && for package in taskwarrior_*.deb; do dpkg -x "$package" root; done)
fi
for tool in py/bin/taskops py/bin/clops-mcp js/node_modules/.bin/backlog deb/root/usr/bin/task; do
    if [ -x "$tool" ]; then echo "installed  ${tool##*/}"; else echo "missing    ${tool##*/}"; fi
done
