#!/usr/bin/env bash
# Sees to it that this machine has what weft needs.
#
#   install/bootstrap.sh machine      Go, a C compiler, Python with headers and venv
#   install/bootstrap.sh environment  fills .venv by that Python
#   install/bootstrap.sh test         what only tests need: Node, Chromium, Graphviz; JupyterLab and its driver, into .venv
#   install/bootstrap.sh lab          JupyterLab, into .venv
#   install/bootstrap.sh ui           Node, to build the timeline
#
# What is missing is installed where that is possible without asking (root on
# Debian or Ubuntu); elsewhere the exact command is printed and the script fails.
# Running it again with nothing changed costs a fraction of a second.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

readonly go_wanted=1.26 go_fetched=1.26.8 python_wanted=3.11 node_wanted=18
if [ -z "${GO:-}" ] && [ -x .go/bin/go ]; then GO=$root/.go/bin/go; fi
: "${GO:=go}" "${CC:=cc}" "${GOTOOLCHAIN:=auto}"
export GOTOOLCHAIN

say() { printf 'weft: %s\n' "$*" >&2; }

# at_least HAVE WANTED compares versions such as 1.26.8 and 1.26.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# ---- the package manager ----

distribution=$(. /etc/os-release 2>/dev/null && echo "${ID:-} ${ID_LIKE:-}" || true)

by_apt() { [[ " $distribution " == *" debian "* || " $distribution " == *" ubuntu "* ]]; }

can_install() { by_apt && [ "$(id -u)" = 0 ]; }

updated=no
apt_update() {
	[ $updated = yes ] && return
	apt-get update -qq >&2
	updated=yes
}

# apt_install PACKAGE... installs for good; it fails, with all that apt said, when
# there is no such package.
apt_install() {
	local said
	apt_update
	say "installing $*"
	said=$(DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" 2>&1) && return
	printf '%s\n' "$said" >&2
	return 1
}

# candidate PACKAGE prints the version that apt would install, without its epoch.
candidate() {
	apt_update
	apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: \([0-9]*:\)\{0,1\}\([0-9][0-9.]*\).*/\2/p'
}

# command_for THING prints the command that installs it on this machine.
command_for() {
	local manager=other
	for m in apt-get dnf zypper pacman apk brew; do
		if command -v $m >/dev/null 2>&1; then manager=$m && break; fi
	done
	case $manager:$1 in
	apt-get:cc) echo "sudo apt-get install -y build-essential" ;;
	apt-get:python) echo "sudo apt-get install -y python3-dev python3-venv" ;;
	apt-get:node) echo "sudo apt-get install -y nodejs npm" ;;
	dnf:cc) echo "sudo dnf install -y gcc make" ;;
	dnf:python) echo "sudo dnf install -y python3-devel" ;;
	dnf:node) echo "sudo dnf install -y nodejs npm" ;;
	zypper:cc) echo "sudo zypper install -y gcc make" ;;
	zypper:python) echo "sudo zypper install -y python311 python311-devel" ;;
	zypper:node) echo "sudo zypper install -y nodejs20 npm20" ;;
	pacman:cc) echo "sudo pacman -S --needed base-devel" ;;
	pacman:python) echo "sudo pacman -S --needed python" ;;
	pacman:node) echo "sudo pacman -S --needed nodejs npm" ;;
	apk:cc) echo "sudo apk add build-base" ;;
	apk:python) echo "sudo apk add python3-dev" ;;
	apk:node) echo "sudo apk add nodejs npm" ;;
	brew:cc) echo "xcode-select --install" ;;
	brew:python) echo "brew install python@3.12" ;;
	brew:node) echo "brew install node" ;;
	brew:go) echo "brew install go" ;;
	*:go)
		local machine system
		system=$(uname -s | tr '[:upper:]' '[:lower:]')
		case $(uname -m) in
		aarch64 | arm64) machine=arm64 ;;
		*) machine=amd64 ;;
		esac
		echo "curl -fsSL https://go.dev/dl/go$go_fetched.$system-$machine.tar.gz | sudo tar -C /usr/local -xz && export PATH=/usr/local/go/bin:\$PATH"
		;;
	*) echo "(no known package manager found; install it in your system's way)" ;;
	esac
}

missing=() # pairs: what is missing, and the command

lacks() { missing+=("$1" "$(command_for "$2")"); }

# stop_if_missing prints everything that lacks at once, so that the user need not run
# make once for each.
stop_if_missing() {
	[ ${#missing[@]} = 0 ] && return
	say "this machine lacks:"
	local i
	for ((i = 0; i < ${#missing[@]}; i += 2)); do
		printf '\n  %s\n      %s\n' "${missing[i]}" "${missing[i + 1]}" >&2
	done
	printf '\nThen run make again.\n' >&2
	exit 1
}

# ---- what the build needs ----

# go_version asks inside the tree: a Go from 1.21 on fetches by itself the version
# that go.mod wants.
go_version() { "$GO" env GOVERSION 2>/dev/null | sed 's/^go//;s/[^0-9.].*//' || true; }

go_serves() { at_least "$(go_version)" $go_wanted; }

# fetch_go gets the Go that is wanted the way in which newer ones do it themselves,
# as a module, with any Go that has modules. It ends up as .go in the tree, where
# the Makefile looks for it first.
fetch_go() {
	local module dir
	module=golang.org/toolchain@v0.0.1-go$go_fetched.$("$GO" env GOOS)-$("$GO" env GOARCH)
	say "fetching Go $go_fetched with Go $(go_version)"
	dir=$(cd / && "$GO" mod download -json "$module" | sed -n 's/^[[:space:]]*"Dir": "\(.*\)",*$/\1/p')
	[ -n "$dir" ] || return 1
	chmod +x "$dir"/bin/* "$dir"/pkg/tool/*/* # a module's files lose that bit
	ln -sfn "$dir" .go
	GO=$root/.go/bin/go
}

check_go() {
	go_serves && return
	if [ -z "$(go_version)" ] && can_install; then
		apt_install golang-go ca-certificates || true
		hash -r
		go_serves && return
	fi
	local found
	found=$(go_version)
	if [ -n "$found" ] && fetch_go && go_serves; then return; fi
	lacks "Go $go_wanted or newer (found: ${found:-none})" go
}

# compiles says whether C compiles. A compiler without the C library's headers is
# no use either. CC may hold flags.
compiles() { echo '#include <stdlib.h>' | $CC -fsyntax-only -x c - 2>/dev/null; }

check_cc() {
	compiles && return
	if can_install; then
		apt_install build-essential || true
		compiles && return
	fi
	lacks "a C compiler (\"$CC\" does not compile a program; CC=... names another)" cc
}

# why_not PYTHON prints what an interpreter lacks; nothing when it serves.
why_not() {
	local include
	if ! include=$("$1" -c 'import sys, sysconfig; print(sysconfig.get_paths()["include"])' 2>/dev/null); then
		echo "does not run"
	elif ! "$1" -c "import sys; sys.exit(sys.version_info < (${python_wanted/./, }))"; then
		echo "is older than $python_wanted"
	elif ! "$1" -c 'import venv, ensurepip' 2>/dev/null; then
		echo "has no venv module"
	elif ! compiles; then
		[ -f "$include/Python.h" ] || echo "has no headers"
	elif ! echo '#include <Python.h>' | $CC -fsyntax-only -x c "-I$include" - 2>/dev/null; then
		echo "has no headers"
	fi
}

# find_python sets python to an interpreter that serves, or reasons to why none does.
find_python() {
	python='' reasons=''
	local p why
	for p in ${PYTHON:-python3 python3.13 python3.12 python3.11 /usr/bin/python3}; do
		command -v "$p" >/dev/null 2>&1 || continue
		why=$(why_not "$p")
		if [ -z "$why" ]; then
			python=$p
			return
		fi
		reasons+="${reasons:+, }$p $why"
	done
	[ -n "$reasons" ] || reasons="${PYTHON:-python3} was not found"
}

check_python() {
	find_python
	[ -n "$python" ] && return
	if can_install && [ -z "${PYTHON:-}" ]; then
		if at_least "$(candidate python3)" $python_wanted; then
			apt_install python3 python3-dev python3-venv || true
		else
			apt_install python$python_wanted python$python_wanted-dev python$python_wanted-venv || true
		fi
		find_python
		[ -n "$python" ] && return
	fi
	lacks "Python $python_wanted or newer with headers and venv ($reasons; PYTHON=... names another)" python
}

# ---- .venv ----

# state describes what .venv was made from; a moved tree or a changed requirement
# makes it anew or brings it up to date.
state() {
	echo "tree $root"
	cksum python/requirements.txt python/requirements-dev.txt python/constraints.txt
}

stamp=.venv/weft-state

environment_is_current() {
	[ -z "${PYTHON:-}" ] || [ "$(cat .venv/weft-python 2>/dev/null)" = "$PYTHON" ] || return 1
	[ -x .venv/bin/python ] && [ "$(cat $stamp 2>/dev/null)" = "$(state)" ] && .venv/bin/python -c ''
}

make_environment() {
	if [ "$(head -n 1 $stamp 2>/dev/null)" != "tree $root" ] || ! .venv/bin/python -c '' 2>/dev/null ||
		{ [ -n "${PYTHON:-}" ] && [ "$PYTHON" != "$(cat .venv/weft-python 2>/dev/null)" ]; }; then
		say "making .venv with $("$python" -V 2>&1) ($python)"
		"$python" -m venv --clear .venv
		echo "${PYTHON:-}" >.venv/weft-python
	fi
	rm -f $stamp
	say "installing the pinned Python packages into .venv (a minute or two the first time)"
	pip_install -r python/requirements.txt -r python/requirements-dev.txt
	# The package is used where it lies: one line of text instead of a copy that
	# could fall behind the source.
	local site
	site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
	echo "$root/python" >"$site/weft-source.pth"
	ln -sfn ../../bin/weft .venv/bin/weft
	state >$stamp
}

pip_install() {
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input --root-user-action=ignore "$@"
}

# pip_install_once NAME installs requirements-NAME.txt, unless that has been done since it changed.
pip_install_once() {
	local wanted
	wanted=$(cksum python/requirements-*.txt python/constraints.txt)
	[ "$(cat ".venv/weft-$1" 2>/dev/null)" = "$wanted" ] && return
	say "installing what python/requirements-$1.txt names into .venv"
	pip_install -r "python/requirements-$1.txt" && echo "$wanted" >".venv/weft-$1"
}

# ---- what tests and the timeline need ----

have_node() {
	command -v npm >/dev/null 2>&1 && at_least "$(node -p process.versions.node 2>/dev/null || echo 0)" $node_wanted
}

have_chromium() {
	local b
	for b in chromium chromium-browser google-chrome; do
		if command -v $b >/dev/null 2>&1; then return 0; fi
	done
	return 1
}

have_graphviz() { command -v dot >/dev/null 2>&1; }

# want NAME PACKAGES PURPOSE: installs if it can, and goes on without if it cannot.
want() {
	"have_$1" && return
	# Ubuntu's Chromium package only fetches another package, which containers cannot run.
	if can_install && ! { [ "$1" = chromium ] && [[ " $distribution " == *" ubuntu "* ]]; }; then
		# shellcheck disable=SC2086 # several packages
		apt_install $2 || true
		"have_$1" && return
	fi
	say "without $1, $3 (packages on Debian: $2)"
}

# ---- commands ----

case ${1:-} in
machine)
	check_go
	check_cc
	environment_is_current || check_python
	stop_if_missing
	;;
environment)
	if ! environment_is_current; then
		check_python
		stop_if_missing
		make_environment
	fi
	;;
test)
	want node "nodejs npm" "the timeline's checks are skipped"
	want chromium "chromium" "the browser tests are skipped"
	# The driver's package has no build for some systems; pip has said so then.
	! have_chromium || pip_install_once browser || say "without JupyterLab and its driver, tests/lab is skipped"
	pip_install_once libraries || say "without the libraries of tests/libraries, their programs are skipped"
	want graphviz "graphviz" "the comparison of drawn graphs with the dot program is skipped"
	;;
lab)
	pip_install_once lab
	;;
ui)
	if ! have_node && can_install; then apt_install nodejs npm || true; fi
	have_node || lacks "Node $node_wanted or newer with npm" node
	stop_if_missing
	;;
*)
	echo "usage: install/bootstrap.sh machine|environment|test|lab|ui" >&2
	exit 2
	;;
esac
