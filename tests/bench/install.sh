#!/usr/bin/env bash
# Makes .venv-bench: what .venv has, and the libraries that weft is compared with. Each is installed by
# itself, so that one which cannot be had here does not take the others along; why is left in
# .venv-bench/missing, a line for each, and the report says it.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD venv=.venv-bench list=tests/bench/requirements.txt

state() { echo "tree $root" && .venv/bin/python -V && cksum $list tests/bench/constraints.txt python/requirements.txt; }
if [ "$(cat $venv/weft-state 2>/dev/null)" = "$(state)" ]; then exit 0; fi

echo "weft: installing the libraries to compare with into $venv (a minute or two the first time)" >&2
.venv/bin/python -m venv --clear $venv
site=$($venv/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
# NumPy, matplotlib and weft itself come from .venv: every library then works on the same NumPy.
.venv/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])' >"$site/weft-venv.pth"
echo "$root/python" >>"$site/weft-venv.pth"

pip_install() { $venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input --root-user-action=ignore "$@"; }
: >$venv/missing
while read -r requirement; do
	case $requirement in '' | '#'* | -*) continue ;; esac
	name=${requirement%%[=\[<>]*}
	if ! said=$(pip_install -c python/constraints.txt -c tests/bench/constraints.txt "$requirement" 2>&1); then
		# pip's last line says what to do about pip; the reason stands in its ERROR lines.
		why=$(printf '%s\n' "$said" | sed -n 's/^ERROR: //p' | tail -n 1)
		printf '%s\tnot installed: %s\n' "$name" "${why:-pip failed}" >>$venv/missing
		echo "weft: $name is missing: ${why:-pip failed}" >&2
	fi
done <$list
# An installation that was incomplete is tried again the next time.
if [ ! -s $venv/missing ]; then state >$venv/weft-state; fi
