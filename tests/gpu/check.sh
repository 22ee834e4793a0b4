#!/usr/bin/env bash
# Checks weft on this machine's GPU, out of the folder that it lies in (see pack.sh). What it finds goes to $OUT.
#
#   check.sh           all steps, the most telling first, in at most WEFT_GPU_SECONDS (560; 3600 without a GPU)
#   check.sh STEP...   these steps alone
#   check.sh --brief   without the steps that "make test" runs in another way, for a driver that stands in for a GPU: at most WEFT_GPU_SECONDS (120)
#
# A step has a limit of its own, and what it wrote until then is kept. summary.txt has a line for each:
# "step: ok|FAILED|skipped (why), seconds". Where there is no GPU and WEFT_LIBCUDA names a driver, that one answers; where there is neither,
# emulated GPUs run the programs. The summary says so.
set -uo pipefail
OUT=${OUT:-weft-gpu-out}
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd)
cd "$(dirname "$0")"
pack=$PWD
started=$SECONDS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$OUT/summary.txt" >"$OUT/log.txt"

export WEFT_PYTHON=$(echo "$pack"/python/bin/python3.*)
export LD_LIBRARY_PATH=$pack/python/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PYTHONPATH=$pack/tests PYTHONDONTWRITEBYTECODE=1 PYTHONNOUSERSITE=1 PYTHONUNBUFFERED=1
export WEFT_TEST_GPU=1 # the tests of package cuda take the driver's device
unset WEFT_ARGS LEGATE_ARGS LEGATE_CONFIG

gpu=yes
[ -e /dev/nvidia0 ] || nvidia-smi -L 2>/dev/null | grep -q GPU || gpu=no
# What stands in for a GPU takes its time, and is given less to do.
slowness=1 scale=quick samples=$(($(nproc) << 20)) seconds=${WEFT_GPU_SECONDS:-560}
if [ $gpu = no ]; then slowness=6 scale=tiny samples=20000 seconds=${WEFT_GPU_SECONDS:-3600}; fi

say() { echo "$*" | tee -a "$OUT/summary.txt"; }

# step NAME LIMIT FILE COMMAND runs a command for LIMIT seconds at most; what it writes goes to FILE, which log.txt repeats. A command that
# ends with 77 was skipped, and says why in its last line.
step() {
	local name=$1 limit=$2 file=$3 left state
	shift 3
	limit=$((limit * slowness))
	if [ ${#chosen[@]} -gt 0 ] && [[ " ${chosen[*]} " != *" $name "* ]]; then return; fi
	left=$((seconds - (SECONDS - started)))
	if [ $left -lt 5 ]; then
		say "$name: skipped (no time is left), 0"
		return
	fi
	local from=$SECONDS
	timeout -k 5 $((limit < left ? limit : left)) "$@" >"$work/said" 2>&1
	local rc=$?
	case $rc in
	0) state=ok ;;
	77) state="skipped ($(tail -n 1 "$work/said"))" ;;
	124 | 137) state="FAILED (not done in time)" ;;
	*) state="FAILED (exit status $rc)" ;;
	esac
	say "$name: $state, $((SECONDS - from))"
	{ echo "==== $name: $state"; cat "$work/said"; } >>"$OUT/log.txt"
	[ "$file" = log.txt ] || cp "$work/said" "$OUT/$file"
	if [[ $state == FAILED* ]]; then
		{ grep -E '^OTHER|--- FAIL|\.go:[0-9]+: |^panic' "$work/said" | head -n 12; tail -n 8 "$work/said"; } | cut -c1-400 | sed 's/^/    /'
	fi
}

# ---- the steps ----

machine() {
	date -u
	if [ $gpu = yes ]; then
		nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm,clocks.max.mem,ecc.mode.current --format=csv,noheader
	else
		echo "no GPU"
	fi
	echo "weft $(cat commit); glibc $(getconf GNU_LIBC_VERSION | cut -d' ' -f2); $(nproc) CPUs; kernel $(uname -r)"
	bin/weft info
}

transcript() { need_driver; bin/gpu transcript; }

load() { need_driver; bin/gpu load ptx; }

# conformance runs the kit in several processes: nearly all of its time is the driver's compiler's, which compiles one program at a time. The last
# one runs what the others do not.
conformance() {
	need_driver
	local group known=opcodes bad=0 at=0 pids=()
	local groups=('casts|select|scalars|index|pcg64|philox|in_place' 'random_programs|random_expressions|again' reduce
		'reduce_several|reduce_tiles|product|control_flow' 'random_control_flow|gather|out_of_bounds|stop|queues|ordered|concurrent|copy|refusals|memory')
	for group in "${groups[@]}"; do known="$known|$group"; done
	part -test.run 'TestConformance/^opcodes$/^[a-l]'
	part -test.run 'TestConformance/^opcodes$/^[^a-l]'
	for group in "${groups[@]}"; do part -test.run "TestConformance/^($group)\$"; done
	part -test.run TestConformance -test.skip "TestConformance/^($known)\$"
	for group in "${!pids[@]}"; do
		wait "${pids[$group]}" || bad=1
		cat "$work/part$group"
	done
	return $bad
}

# part starts a process of conformance.
part() {
	bin/cuda.test -test.v -test.timeout $((140 * slowness))s "$@" >"$work/part$at" 2>&1 &
	pids+=($!) at=$((at + 1))
}

tests() { need_driver; bin/cuda.test -test.v -test.timeout $((80 * slowness))s -test.skip TestConformance; }

measure() { need_gpu; bin/gpu measure; }

fault() { need_driver; bin/gpu fault; }

need_gpu() { [ $gpu = yes ] || { echo "no GPU"; exit 77; }; }

need_driver() { [ $gpu = yes ] || [ -n "${WEFT_LIBCUDA:-}" ] || { echo "no driver"; exit 77; }; }

need_python() { [ -x "$WEFT_PYTHON" ] || { echo "no Python in the pack"; exit 77; }; }

hello() {
	need_python
	cat >"$work/hello.py" <<-'PROGRAM'
		import numpy as np
		a = np.arange(1_000_000, dtype=np.float64)
		b = np.sqrt(a) + a[::-1]
		print(np.__name__, b.sum(), b[17], b.mean())
		print(np.machine() if hasattr(np, "machine") else "")
	PROGRAM
	bin/weft run $gpus "$work/hello.py"
}

# beside runs a program on the CPUs and on the GPU, and compares the lines "name <tab> result" that it prints. A NaN is a NaN, whatever its
# bits: of float32 a GPU makes one alone.
beside() {
	need_python
	bin/weft run --cpus "$(nproc)" --gpus 0 "$@" >"$work/cpus" || exit 1
	bin/weft run $gpus "$@" >"$work/gpus"
	local rc=$?
	join -t $'\t' -a 1 -a 2 -e nothing -o 0,1.2,2.2 <(sort "$work/cpus") <(sort "$work/gpus") |
		awk -F'\t' '
			{ s = $2 == $3 ? "same" : $1 ~ /, NaNs$/ ? "nan" : "OTHER"; n[s]++; print s, $1, $2, s == "same" ? "" : $3 }
			END { print n["same"]+0, "same,", n["OTHER"]+0, "other;", n["nan"]+0, "whose NaNs have other bits"; exit n["OTHER"] > 0 }' && return $rc
}

same_bits() {
	need_python
	bin/weft run --cpus "$(nproc)" --gpus 0 same.py run $scale "$work/bits-cpus" || exit 1
	WEFT_DEBUG=noeager bin/weft run $gpus same.py run $scale "$work/bits-gpus" || exit 1 # what is small goes to the GPU as well
	"$WEFT_PYTHON" same.py compare "$work/bits-cpus" "$work/bits-gpus"
}

functions() { beside functions.py $samples; }

# programs are those of tests/programs: some print what they compute, some compare it with NumPy's. Nothing is too small for the GPU there.
programs() {
	need_python
	local bad=0 p
	while read -ra p; do
		local program=tests/programs/${p[0]}.py
		bin/weft run --cpus "$(nproc)" --gpus 0 "$program" "${p[@]:1}" >"$work/a" 2>"$work/a.err" </dev/null
		local cpus=$?
		WEFT_DEBUG=noeager bin/weft run $gpus "$program" "${p[@]:1}" >"$work/b" 2>"$work/b.err" </dev/null
		if [ $? = $cpus ] && cmp -s "$work/a" "$work/b"; then
			echo "same ${p[*]}, exit status $cpus"
		else
			echo "OTHER ${p[*]}"
			diff "$work/a" "$work/b" | head -n 6
			tail -n 5 "$work/b.err"
			bad=1
		fi
	done <<-LIST
		channel_flow
		particles
		products
		out_of_core
		patterns
		metamorphic 1
		aliasing 1 40
		mixed 1 6
	LIST
	return $bad
}

out_of_core() {
	need_python
	bin/weft run --cpus "$(nproc)" --gpus 0 tests/programs/out_of_core.py >"$work/a" 2>/dev/null
	bin/weft run $gpus --fbmem 64 tests/programs/out_of_core.py >"$work/b" 2>"$work/b.err" || { tail -n 20 "$work/b.err"; exit 1; }
	diff "$work/a" "$work/b" && echo "the same lines with 64 MB of memory" && tail -c 400 "$work/b.err"
}

python_measure() {
	need_gpu
	need_python
	bin/weft run $gpus measure.py
}

yardstick() {
	local python
	need_gpu
	python=$(command -v python3) && env -u PYTHONPATH -u LD_LIBRARY_PATH -u PYTHONNOUSERSITE "$python" -c 'import cupy' 2>/dev/null || { echo "no CuPy"; exit 77; }
	env -u PYTHONPATH -u LD_LIBRARY_PATH -u PYTHONNOUSERSITE "$python" measure.py cupy
}

sanitizer() {
	need_gpu
	command -v compute-sanitizer >/dev/null || { echo "no compute-sanitizer"; exit 77; }
	local test bad=0
	compute-sanitizer --tool memcheck --error-exitcode 9 bin/cuda.test -test.v -test.run 'TestConformance/^(gather|reduce_tiles|copy|in_place)$' >"$work/sanitized" 2>&1 || bad=1
	cat "$work/sanitized"
	for test in gather reduce_tiles copy in_place; do # one of another name by now would be left out, and the rest pass
		grep -q "^ *--- PASS: TestConformance/$test " "$work/sanitized" || { echo "TestConformance/$test has not passed"; bad=1; }
	done
	return $bad
}

chosen=("$@")
gpus="--gpus 1"
brief=(machine transcript load fault hello same_bits functions)
if [ $gpu = no ] && [ -z "${WEFT_LIBCUDA:-}" ]; then
	say "no GPU, and WEFT_LIBCUDA names no driver in its place: what asks one is skipped, and programs run on an emulated GPU"
	gpus="--gpus 1 --emulate"
elif [ $gpu = no ]; then
	say "no GPU: the driver $WEFT_LIBCUDA answers in its place"
fi
if [ "${1:-}" = --brief ]; then
	chosen=("${brief[@]}") seconds=${WEFT_GPU_SECONDS:-120}
	say "brief: only ${brief[*]}"
fi
export gpu gpus work slowness scale samples
export -f need_gpu need_driver machine transcript load conformance part tests measure fault need_python hello beside same_bits functions programs out_of_core python_measure yardstick sanitizer
step machine 20 machine.txt bash -c machine
step transcript 60 transcript.txt bash -c transcript
step load 60 log.txt bash -c load
step fault 20 log.txt bash -c fault
step hello 30 log.txt bash -c hello
step same_bits 120 log.txt bash -c same_bits
step programs 90 log.txt bash -c programs
step functions 60 log.txt bash -c functions
step out_of_core 40 log.txt bash -c out_of_core
step measure 60 measure.txt bash -c measure
step python_measure 60 python_measure.txt bash -c python_measure
step yardstick 40 yardstick.txt bash -c yardstick
step conformance 150 conformance.txt bash -c conformance
step tests 90 log.txt bash -c tests
step sanitizer 120 log.txt bash -c sanitizer
say "all: $((SECONDS - started)) seconds"
for f in measure python_measure yardstick; do
	if [ -s "$OUT/$f.txt" ]; then echo "---- $f" && cat "$OUT/$f.txt"; fi
done
! grep -q FAILED "$OUT/summary.txt"
