#!/usr/bin/env bash
# Makes .venv-libraries: what .venv has, and the libraries of tests/libraries. Those of heavy.txt are installed each by itself, so that one which cannot be
# had here does not take the others along.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD venv=.venv-libraries here=tests/libraries

state() { echo "tree $root" && .venv/bin/python -V && cksum python/requirements-libraries.txt $here/heavy.txt python/requirements.txt python/constraints.txt; }
if [ "$(cat $venv/weft-state 2>/dev/null)" = "$(state)" ]; then exit 0; fi

echo "weft: installing the libraries of $here into $venv (some minutes the first time)" >&2
.venv/bin/python -m venv --clear $venv
site=$($venv/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
echo "$root/python" >"$site/weft.pth"

pip_install() { $venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input --root-user-action=ignore -c python/constraints.txt "$@"; }
pip_install -r python/requirements.txt -r python/requirements-libraries.txt
missing=
while read -r requirement; do
	case $requirement in '' | '#'* | -*) continue ;; esac
	pip_install -r python/requirements.txt "$requirement" || { missing=1 && echo "weft: no $requirement here" >&2; }
done <$here/heavy.txt
# An installation that was incomplete is tried again the next time.
[ -n "$missing" ] || state >$venv/weft-state
