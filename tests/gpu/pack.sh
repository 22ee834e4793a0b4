#!/usr/bin/env bash
# Packs what check.sh needs on a machine that has a GPU and nothing of ours: tests/gpu/pack.sh [folder]
#
# The folder (out/gpu-pack) gets weft-gpu/, which runs from any place, and weft-gpu.tar.xz of it. "make gpu-pack" calls this after a build.
# With --here before the folder, that itself becomes weft-gpu/, of links into this tree where they do, without tests and without an archive.
set -euo pipefail
cd "$(dirname "$0")/../.."

# The machines that it is for have at least this C library (Ubuntu 22.04's), and take so many bytes.
readonly glibc_wanted=2.35 most_bytes=$((55 << 20))
GO=${GO:-go} TAGS=${TAGS:-cuda}
here=
if [ "${1:-}" = --here ]; then here=yes && shift; fi
folder=${1:-out/gpu-pack}
pack=$(realpath -m "$folder/$([ $here ] || echo weft-gpu)")
rm -rf "$pack"
mkdir -p "$pack/bin" "$pack/ptx" "$pack/tests"

# ---- Go ----

"$GO" build -tags "$TAGS" -ldflags '-s -w' -o "$pack/bin/gpu" ./tests/gpu
WEFT_PTX_TEXTS=$pack/ptx "$GO" test -tags "$TAGS" -count=1 -run TestTexts ./cuda/ptx >/dev/null
cp tests/gpu/check.sh tests/gpu/*.py "$pack/"
git describe --always --dirty --exclude '*' >"$pack/commit" 2>/dev/null || echo unknown >"$pack/commit"
if [ $here ]; then
	ln -s "$PWD/bin/weft" "$pack/bin/weft"
	ln -s "$PWD/.venv" "$pack/python"
	ln -s "$PWD/tests/programs" "$PWD/tests/bench" "$pack/tests/"
	exit
fi
"$GO" build -tags "$TAGS" -ldflags "-s -w -X main.version=${VERSION:-packed}" -o "$pack/bin/weft" ./cmd/weft
"$GO" test -c -tags "$TAGS" -ldflags '-s -w' -o "$pack/bin/cuda.test" ./cuda

# ---- Python: the interpreter of .venv, its library, and the packages that weft needs ----

read -r base version < <(.venv/bin/python -c 'import sys; print(sys.base_prefix, "python%d.%d" % sys.version_info[:2])')
mkdir -p "$pack/python/bin" "$pack/python/lib"
cp "$base/bin/$version" "$pack/python/bin/"
cp -L "$base"/lib/lib"$version".so.1.0 "$pack/python/lib/" 2>/dev/null || true # of an interpreter that is a library
tar -C "$base/lib" --exclude="$version/site-packages/*" --exclude="$version/"{test,idlelib,tkinter,turtledemo,ensurepip,lib2to3,pydoc_data,distutils} \
	--exclude="$version/config-*" --exclude=__pycache__ --exclude='*.a' --exclude='*/test' --exclude='*/tests' -c "$version" | tar -C "$pack/python/lib" -x
site=$pack/python/lib/$version/site-packages
mkdir -p "$site"
# The names of the distributions that weft's own needs and a client of its kernel come to, by what they say themselves.
.venv/bin/python tests/gpu/needs.py numpy ipython traitlets comm jupyter_client nbclient nbformat pyzmq psutil |
	tar -C ".venv/lib/$version/site-packages" --exclude=__pycache__ --exclude='*.pyi' --exclude='*/tests' --exclude='*/f2py' \
		--exclude='*.a' --no-recursion -T - -c | tar -C "$site" -x
cp -r python/weft python/weft_kernel.py "$site/"
cp -r tests/programs tests/bench "$pack/tests/"
find "$pack" -name __pycache__ -type d -prune -exec rm -rf {} +
# The packages' own libraries are as their makers laid them out, which strip breaks.
strip --strip-unneeded "$pack"/python/bin/* "$pack"/python/lib/*.so* "$pack/python/lib/$version"/lib-dynload/*.so

# ---- what it asks of the machine ----

needed=0
while read -r file; do
	for v in $(objdump -T "$file" 2>/dev/null | grep -o 'GLIBC_[0-9.]*' | cut -c7- | sort -Vu | tail -n 1); do
		if [ "$(printf '%s\n%s\n' "$v" "$glibc_wanted" | sort -V | tail -n 1)" != "$glibc_wanted" ]; then
			echo "gpu-pack: $file needs glibc $v; at most $glibc_wanted is allowed (glibc_wanted in tests/gpu/pack.sh)" >&2
			exit 1
		fi
		needed=$(printf '%s\n%s\n' "$v" "$needed" | sort -V | tail -n 1)
	done
done < <(find "$pack" -type f \( -path '*/bin/*' -o -name '*.so*' \))

rm -f "$folder/weft-gpu.tar.xz"
XZ_OPT="-3 -T0" tar -C "$pack" -cJf "$folder/part.tar.xz" .
mv "$folder/part.tar.xz" "$folder/weft-gpu.tar.xz"
bytes=$(stat -c %s "$folder/weft-gpu.tar.xz")
echo "gpu-pack: $folder/weft-gpu.tar.xz, $bytes bytes, needs glibc $needed"
if [ "$bytes" -gt "$most_bytes" ]; then
	echo "gpu-pack: that is more than $most_bytes (most_bytes in tests/gpu/pack.sh)" >&2
	exit 1
fi
echo "On the machine, where \$OUT names the folder that results go to (weft-gpu-out where it is not set):"
echo
echo "    mkdir -p /tmp/weft-gpu && { tar -xJf $folder/weft-gpu.tar.xz -C /tmp/weft-gpu || python3 -m tarfile -e $folder/weft-gpu.tar.xz /tmp/weft-gpu; } && bash /tmp/weft-gpu/check.sh"
