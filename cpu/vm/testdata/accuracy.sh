#!/bin/sh
# Writes cpu/ACCURACY.md: what accuracy.c measures, and whether all instruction sets give the same
# bits. Run by make accuracy, in cpu/vm/testdata; the argument is the number of samples for each
# kind of argument. accuracy.sh 1 NAME instead measures a function of float32 for all of its arguments, in minutes
# (make accuracy EVERY=erf).
set -eu
samples=${1:-100000}
cc=${CC:-cc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build() { # name flags...
    name=$1
    shift
    "$cc" -O3 -std=gnu11 -ffp-contract=off -fno-math-errno "$@" accuracy.c -o "$work/$name" -lquadmath -lm
}
if [ $# -gt 1 ]; then
    build every -march=native
    "$work/every" "$samples" every "$2"
    exit
fi
build base
sets=base
if grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo; then
    build v3 -mavx2 -mfma -mbmi2
    sets="$sets v3"
fi
if grep -qw avx512dq /proc/cpuinfo; then
    build v4 -mavx2 -mfma -mbmi2 -mavx512f -mavx512dq -mavx512vl -mavx512bw -mprefer-vector-width=512
    sets="$sets v4"
fi
for set in $sets; do
    "$work/$set" "$samples" digest >"$work/$set.digest"
    cmp -s "$work/base.digest" "$work/$set.digest" || {
        echo "accuracy: $set gives other bits than base:" >&2
        diff "$work/base.digest" "$work/$set.digest" >&2
        exit 1
    }
    fastest=$set
done
"$work/$fastest" "$samples" >"$work/rows"

{
    cat <<TEXT
# Accuracy of the elementary functions

Written by \`make accuracy\` (cpu/vm/testdata/accuracy.sh, GCC with libquadmath); do not edit.

The largest distance from the exact result, in units in the last place of the result, over $((samples * 5))
arguments: any bits, the range where the function is of use, any size, around 1, and beside special points.
Infinities, NaN, overflow and zeros had to be right. Half a unit is the least that rounding allows. Then how
many of a hundred results, in the range where the function is of use, are not the exact result rounded to nearest.

The machines $(echo "$sets" | sed 's/ /, /g') gave the same bits for every one of these arguments, so that a row holds for each.
lgamma counts units of 1/2 where its size is smaller, because its zeros are not at floats: there it is right to
1e-16, not to a unit. float16 goes through float32.

| function | dtype | units | not nearest, % | at |
|---|---|---|---|---|
TEXT
    cat "$work/rows"
} >../../ACCURACY.md
cat ../../ACCURACY.md
