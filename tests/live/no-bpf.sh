# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Where BPF is not possible: record goes through perf_event_open and says why when asked, what needs BPF
# says why not in one line.  And the other way round: how few rights it takes with BPF.
# A part of tests/live/run, which sources it; no_bpf_checks runs all.

# falls_back WORDS PREFIX...: PREFIX is what $PERF is started with
falls_back() {
	local words=$1 status=0
	shift
	rm -f "$TMP/fallback.data"
	"$@" "$PERF" kmem record -v -o "$TMP/fallback.data" -- ls -R "$ROOT/util" >/dev/null 2>"$TMP/fallback.err" || status=$?
	cat "$TMP/fallback.err"
	((status == 0)) && grep -q "recording through perf_event_open: .*$words" "$TMP/fallback.err" || return 1
	[[ $("$PERF" kmem stat -i "$TMP/fallback.data" --slab --comm ls --format=json | python3 -c "$hits") -gt 10 ]] || return 1
	# it is nothing to worry those about who did not ask
	"$@" "$PERF" kmem record -q -o "$TMP/fallback.data" -- true 2>"$TMP/fallback.err" && [[ ! -s $TMP/fallback.err ]]
}

# BPF is possible here, but its programs cannot be loaded: the other way costs more, so that is worth a line.
cannot_load() {
	local status=0
	rm -f "$TMP/fallback.data"
	(ulimit -n 30 && exec "$PERF" kmem record --slab -C 0 -o "$TMP/fallback.data" -- true) 2>"$TMP/fallback.err" || status=$?
	cat "$TMP/fallback.err"
	((status == 0)) && [[ -s $TMP/fallback.data ]] &&
		grep -q 'warning: recording through perf_event_open, which costs several times as much: .*: Too many open files' "$TMP/fallback.err"
}

# refused WORDS PREFIX...: each command that needs BPF ends with one line that has these words, and nothing else
refused() {
	local words=$1 status command
	shift
	rm -f "$TMP/refused.data"
	# shellcheck disable=SC2086
	for command in "record --via bpf -o $TMP/refused.data" 'stat -b' 'leak -b' 'stat --in-kernel' 'top --once'; do
		"$PERF" kmem $command --help >/dev/null 2>&1 || continue
		status=0
		"$@" "$PERF" kmem $command -- touch "$TMP/refused.data" >"$TMP/refused.out" 2>"$TMP/refused.err" || status=$?
		echo "$command: status $status"
		cat "$TMP/refused.out" "$TMP/refused.err"
		((status == 1)) && [[ $(wc -l <"$TMP/refused.err") == 1 && ! -s $TMP/refused.out && ! -e $TMP/refused.data ]] &&
			grep -q "$words" "$TMP/refused.err" || return 1
	done
}

# where NAME WORDS PREFIX...
where() {
	check "$1-record" falls_back "${@:2}"
	check "$1-live" refused "${@:2}"
}

# hidden FILE-OR-DIRECTORY COMMAND...: with mounts of its own, where it is an empty directory
hidden() {
	local at=$1
	shift
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount -t tmpfs none "$1" && shift && exec "$@"' sh "$at" "$@"
}

# no_symbols: the kernel lists none
no_symbols() {
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount --bind /dev/null /proc/kallsyms && exec "$0" kmem stat -b --slab -- true' "$PERF" >"$TMP/no-symbols.out" 2>"$TMP/no-symbols.err" || {
		cat "$TMP/no-symbols.err"
		return 1
	}
	cat "$TMP/no-symbols.err"
	[[ $(<"$TMP/no-symbols.err") == *'call sites are addresses: this kernel has no symbols in /proc/kallsyms (CONFIG_KALLSYMS)' ]] || return 1
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount --bind /dev/null /proc/kallsyms && exec "$@"' sh "$PERF" kmem record -o "$TMP/no-symbols.data" -- true 2>"$TMP/no-symbols.err"
	cat "$TMP/no-symbols.err"
	grep -q 'this kernel has no symbols in /proc/kallsyms (CONFIG_KALLSYMS), so call sites have no names' "$TMP/no-symbols.err" &&
		! grep -q 'hides' "$TMP/no-symbols.err"
}

# another_pid COMMAND...: in a pid namespace of its own
another_pid() {
	unshare --pid --fork --kill-child "$@"
}

# few_rights COMMAND...: not root; CAP_BPF, CAP_PERFMON, and to read the event formats, which only root may
few_rights() {
	local some='-all,+bpf,+perfmon,+dac_read_search'
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps="$some" --ambient-caps="$some" --bounding-set="$some" -- "$@"
}

records_with_few_rights() {
	local dir=$TMP/few
	mkdir -p "$dir"
	chmod 755 "$TMP"
	chmod 777 "$dir"
	cp "$(realpath "$PERF")" "$dir/perf"
	chmod 755 "$dir/perf"
	(cd "$dir" && few_rights "$dir/perf" kmem record -v --slab --page -o few.data -- ls /) >"$TMP/few.out" 2>"$TMP/few.err" || {
		cat "$TMP/few.err"
		return 1
	}
	cat "$TMP/few.err"
	grep -q 'recording through BPF' "$TMP/few.err" &&
		[[ $("$PERF" kmem stat -f -i "$dir/few.data" --slab --comm ls --format=json | python3 -c "$hits") -gt 10 ]]
}

# The variant with no optional library that the level build makes.
least() {
	make -s --no-print-directory -C "$ROOT" WITHOUT=all OPT=-O0 WERROR=1 print-perf 2>/dev/null
}

no_bpf_checks() {
	local name least usual=$PERF
	if ! "$PERF" kmem record -q --via bpf -o "$TMP/via.data" -- true 2>"$TMP/via.err"; then
		for name in no-btf seccomp pid-namespace few-rights; do skip "$name" "$(tail -n 1 "$TMP/via.err")"; done
	else
		check cannot-load cannot_load
		if unshare -m true 2>/dev/null; then
			where no-btf 'this kernel does not describe its types' hidden /sys/kernel/btf
			check no-symbols no_symbols
		else
			skip no-btf 'no right to have mounts of its own'
		fi
		if ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -o "$TMP/forbid-bpf" "$ROOT/tests/live/forbid-bpf.c" 2>"$TMP/cc.log" &&
			"$TMP/forbid-bpf" EPERM true 2>"$TMP/cc.log"; then
			where seccomp 'no permission to use BPF' "$TMP/forbid-bpf" EPERM
			where seccomp-enosys 'no BPF, or it is forbidden' "$TMP/forbid-bpf" ENOSYS
		else
			skip seccomp "$(tail -n 1 "$TMP/cc.log")"
		fi
		if unshare --pid --fork true 2>/dev/null; then
			check pid-namespace-live refused 'pid namespace' another_pid
		else
			skip pid-namespace 'no right to have a pid namespace'
		fi
		if ((EUID)) || ! few_rights true 2>/dev/null; then
			skip few-rights 'needs root and setpriv'
		else
			check few-rights records_with_few_rights
		fi
	fi
	least=$ROOT/$(least)
	if [[ -x $least && ! -d $least ]]; then
		PERF=$least
		where not-built-in 'BPF is not built in' env
		PERF=$usual
	else
		skip not-built-in 'there is no build without libraries (scripts/test build)'
	fi
}
