# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For the runners tests/<level>/run: source it, call test_setup, print one line per
# check with pass, fail or skip, end with test_end.  scripts/test counts the lines.
#
#   $PERF  the program under test, absolute (default: ./perf of this tree)
#   $TMP   an empty directory, removed at the end
#   $DATA  tests/data, unpacked (after test_unpack_data)

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
failures=0
last_check=$SECONDS

# result WORD NAME: with the time since the check before it, if that is long
result() {
	local seconds=$((SECONDS - last_check))
	last_check=$SECONDS
	if ((seconds < 5)); then echo "$1 $2"; else echo "$1 $2  ($seconds s)"; fi
}

pass() {
	result ok "$1"
}

# fail NAME [DETAILS]: the details follow, indented
fail() {
	result FAIL "$1"
	[[ -z ${2-} ]] || printf '%s\n' "$2" | sed 's/^/    /'
	failures=$((failures + 1))
}

skip() {
	echo "skip $1: $2"
}

# check NAME COMMAND...: passes if the command does; otherwise shows its output
check() {
	local name=$1 output
	shift
	if output=$("$@" 2>&1 </dev/null); then pass "$name"; else fail "$name" "$output"; fi
}

# $STOCK: the installed perf, which is not ours ($STOCK_PERF: another one)
STOCK=${STOCK_PERF:-$(command -v perf || true)}
no_stock() { [[ ! -x $STOCK || $(realpath "$STOCK") == "$PERF" ]] || ! "$STOCK" version >/dev/null; }

# stock_is VERSION: of this series, such as 6.1
stock_is() { [[ $("$STOCK" version) == "perf version $1."* ]]; }

# with_input COMMAND...: its standard input stays open until it has ended
with_input() {
	local sleeper status=0
	rm -f "$TMP/hold"
	mkfifo "$TMP/hold"
	sleep 300 >"$TMP/hold" &
	sleeper=$!
	"$@" <"$TMP/hold" || status=$?
	kill $sleeper
	wait $sleeper 2>/dev/null || true
	return $status
}

# A version manager's python3 is a shell script that starts the real one: the same python3, ten times slower to start.
start_python_directly() {
	local found real
	found=$(command -v python3) && real=$(python3 -c 'import sys; print(sys.executable)') || return 0
	found=${found%/*}
	real=${real%/*}
	[[ $real != "$found" && -n $real ]] || return 0
	PATH=:$PATH:
	PATH=${PATH/":$found:"/":$real:$found:"}
	PATH=${PATH:1:-1}
}

test_setup() {
	# the comm of tests/live/known-load.c, unique to this run: another run may be active
	export KNOWN_HOLDER=holder-$$
	PERF=$(realpath "${PERF:-$ROOT/perf}")
	export PERF
	if [[ ! -x $PERF ]]; then
		fail "setup" "$PERF: no such program; make builds it"
		exit 1
	fi
	TMP=$(mktemp -d "${TMPDIR:-/tmp}/perf-kmem-test.XXXXXX")
	trap 'rm -rf "$TMP"' EXIT
	mkdir "$TMP/bin"
	ln -s "$PERF" "$TMP/bin/perf"
	ln -s "$PERF" "$TMP/bin/perf-kmem"
	start_python_directly
	# Nobody's settings; what a program leaves there (stock perf's files, ccache's) goes with the rest.
	export HOME=$TMP/home
}

test_unpack_data() {
	local file name
	DATA=$TMP/data
	export DATA
	mkdir -p "$DATA"
	for file in "$ROOT"/tests/data/*; do
		[[ -f $file ]] || continue
		name=$(basename "$file")
		case $name in
		*.zst) zstd -q -d -o "$DATA/${name%.zst}" "$file" ;;
		*) cp "$file" "$DATA/" ;;
		esac
	done
}

# clean_env [NAME=VALUE...] COMMAND...: without the user's environment
clean_env() {
	env -i PATH="$TMP/bin:$PATH" LC_ALL=C TZ=UTC TMPDIR="$TMP" DATA="${DATA-}" PERF="$PERF" \
		ASAN_OPTIONS="${ASAN_OPTIONS-}" UBSAN_OPTIONS="${UBSAN_OPTIONS-}" "$@"
}

# recorded_alone FILE OPTION... -- COMMAND...: record what this command and its children do, and nobody
# else: user stacks of all that a busy machine does are more than buffers hold
recorded_alone() {
	local out=$1 asked=() pid recorder status=0
	shift
	while [[ $1 != -- ]]; do
		asked+=("$1")
		shift
	done
	shift
	rm -f "$TMP/go" "$out"
	mkfifo "$TMP/go"
	# shellcheck disable=SC2016
	sh -c 'read -r _ <"$0"; exec "$@"' "$TMP/go" "$@" &
	pid=$!
	"$PERF" kmem record -q -o "$out" -p $pid "${asked[@]}" &
	recorder=$!
	until [[ -e $out ]] || ! kill -0 $recorder 2>/dev/null; do sleep 0.05; done
	echo go >"$TMP/go"
	wait $pid || status=$?
	# it ends with the process
	wait $recorder || status=$?
	return $status
}

# Pseudo terminals: missing in a bare chroot (/dev/pts), and without util-linux' script.
have_terminals() {
	[[ $(script -qec 'test -t 1 && echo yes' /dev/null </dev/null 2>/dev/null) == yes* ]]
}

test_end() {
	((failures == 0))
}
