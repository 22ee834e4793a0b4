#!/usr/bin/env bash
# Takes what check.sh left in a folder into CHECKED.md and transcript.txt: tests/gpu/results.sh folder
set -euo pipefail
from=$(cd "$1" && pwd)
cd "$(dirname "$0")"
for f in summary machine log; do
	[ -s "$from/$f.txt" ] || { echo "gpu-results: no $f.txt in $from; want the folder that check.sh wrote to" >&2; exit 1; }
done
if grep -q '^no GPU' "$from/machine.txt"; then
	echo "gpu-results: $from/machine.txt says that there was no GPU; nothing is taken" >&2
	exit 1
fi

# block TITLE FILE writes a file as it is, where it has something to say.
block() {
	# Where the pack was unpacked is left out.
	[ ! -s "$from/$2" ] || printf '\n## %s\n\n```\n%s\n```\n' "$1" "$(sed -E 's#/[^ (]*/python/#python/#g; s/ +$//' "$from/$2")"
}

{
	echo "# The last check of a GPU"
	echo
	echo "\`make gpu-results\` writes this from what check.sh (\`make gpu-pack\`) found; [RESULTS.md](RESULTS.md) says what to make of such figures."
	block "The machine" machine.txt
	block "The steps" summary.txt
	block "Calls and launches" measure.txt
	block "Programs through weft" python_measure.txt
	block "The same programs through CuPy" yardstick.txt
	echo
	echo "## Whose bits are the same as on CPUs"
	echo
	echo '```'
	grep -E '^(same|close|nan|OTHER) ' "$from/log.txt" | sed 's/ *$//' || true
	echo '```'
} >CHECKED.md
if grep -q '^transcript: ok' "$from/summary.txt"; then cp "$from/transcript.txt" transcript.txt; fi
echo "gpu-results: tests/gpu/CHECKED.md$(grep -q '^transcript: ok' "$from/summary.txt" && echo ", tests/gpu/transcript.txt")"
