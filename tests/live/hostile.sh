# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The recorder on bare machines, with stubborn commands, hostile directories and readers that go away.
# A part of tests/live/run, which sources it; hostile_checks runs all.

# in_namespace COMMAND...: with mounts of its own, where tracefs is not mounted
in_namespace() {
	# shellcheck disable=SC2016
	unshare -m bash -c '
		for at in $(awk '\''$3 == "tracefs" || $3 == "debugfs" { print $2 }'\'' /proc/mounts | sort -r); do
			umount "$at" || exit 99
		done
		"$@"' bash "$@"
}

mounts_tracefs() {
	local status=0
	# shellcheck disable=SC2016
	in_namespace sh -c '"$PERF" kmem record -o "$1" -- true && grep " tracefs " /proc/mounts && exec "$PERF" kmem record -o "$1" -- true' \
		sh "$TMP/mount.data" >"$TMP/mount.out" 2>"$TMP/mount.err" || status=$?
	cat "$TMP/mount.out" "$TMP/mount.err"
	# said once: the second one finds it
	((status == 0)) && grep -q ' /sys/kernel/tracing tracefs ' "$TMP/mount.out" &&
		[[ $(grep -c 'mounted tracefs on /sys/kernel/tracing' "$TMP/mount.err") == 1 ]]
}

# not_mounted PREFIX...: the recorder, started by this, says what to type and mounts nothing
not_mounted() {
	local status=0
	# shellcheck disable=SC2016
	in_namespace sh -c '"$@" -o "$OUT" -- true; status=$?; grep " tracefs " /proc/mounts; exit $status' sh "$@" \
		>"$TMP/mount.out" 2>"$TMP/mount.err" || status=$?
	cat "$TMP/mount.out" "$TMP/mount.err"
	echo "status $status"
	((status == 1)) && [[ ! -s $TMP/mount.out && ! -e $OUT && $(wc -l <"$TMP/mount.err") == 1 ]] &&
		grep -qF 'tracefs is not mounted; as root: mount -t tracefs nodev /sys/kernel/tracing' "$TMP/mount.err"
}

says_user_stacks() {
	"$PERF" kmem record --user-stacks -o "$TMP/user.data" -- true 2>"$TMP/user.err" || return 1
	"$PERF" kmem record -q --user-stacks -o "$TMP/user.data" -- true 2>>"$TMP/user.err" || return 1
	"$PERF" kmem record -g -o "$TMP/user.data" -- true 2>>"$TMP/user.err" || return 1
	cat "$TMP/user.err"
	[[ $(grep -c 'no report of perf kmem shows them' "$TMP/user.err") == 1 ]]
}

# Whoever handed over to us is none of the command's business.
clean_environment() {
	# shellcheck disable=SC2016
	[[ $(PERF_KMEM_TRIED=,1:1, "$PERF" kmem record -q -o "$TMP/env.data" -- sh -c 'echo "${PERF_KMEM_TRIED-none}"') == none ]]
}

# started NAME: wait for the recorder's file
started() {
	for _ in $(seq 100); do
		[[ ! -e $TMP/$1.data ]] || return 0
		sleep 0.1
	done
	return 1
}

# alive PID: it runs still
alive() {
	kill -0 "$1" 2>/dev/null && ! grep -q '^State:.*zombie' "/proc/$1/status"
}

# ignored SIGNAL: a recorder that was started with it ignored runs on, and ends by SIGINT
ignored() {
	local pid status=0 runs=
	(
		trap '' "$1"
		exec "$PERF" kmem record -o "$TMP/nohup.data" >"$TMP/nohup.log" 2>&1
	) &
	pid=$!
	started nohup
	kill "-$1" $pid
	sleep 0.7
	if alive $pid; then runs=1; fi
	kill -INT $pid
	wait $pid || status=$?
	rm "$TMP/nohup.data"
	echo "runs: ${runs:-no}, status $status"
	[[ $runs ]] && ((status == 0))
}

# stubborn SIGNALS: a command that ignores them, and one signal to the recorder
stubborn() {
	local pid status=0 since end left
	(
		trap - INT
		exec "$PERF" kmem record -o "$TMP/stubborn.data" -- sh -c "trap '' $1; echo \$\$ >$TMP/stubborn.pid; exec sleep 60" \
			>"$TMP/stubborn.log" 2>&1
	) &
	pid=$!
	started stubborn
	for _ in $(seq 50); do
		[[ ! -s $TMP/stubborn.pid ]] || break
		sleep 0.1
	done
	since=$SECONDS
	kill -INT $pid
	wait $pid || status=$?
	end=$((SECONDS - since))
	left=$(cat "$TMP/stubborn.pid")
	cat "$TMP/stubborn.log"
	echo "status $status after $end s"
	((end < 20)) && grep -q 'Captured and wrote' "$TMP/stubborn.log" || return 1
	if alive "$left"; then
		kill -KILL "$left"
		[[ $1 == *TERM* ]] && ((status == 130)) && grep -q "pid $left) ignores SIGTERM" "$TMP/stubborn.log"
	else
		[[ $1 != *TERM* ]] && ((status == 143))
	fi
}

hostile_checks() {
	export OUT=$TMP/none.data
	if ((EUID)) || ! unshare -m true 2>/dev/null; then
		skip mounts-tracefs 'needs root and unshare'
		skip no-mount 'needs root and unshare'
		skip mount-refused 'needs root and unshare'
	elif [[ $(in_namespace echo) == *busy* ]]; then
		skip mounts-tracefs 'tracefs is busy'
	else
		check mounts-tracefs mounts_tracefs
		check no-mount not_mounted "$PERF" kmem record --no-mount
		if command -v setpriv >/dev/null; then
			check mount-refused not_mounted setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin "$PERF" kmem record
		else
			skip mount-refused 'needs setpriv'
		fi
	fi
	check user-stacks-said says_user_stacks
	check clean-environment clean_environment
	check ignored-HUP ignored HUP
	check ignored-TERM ignored TERM
	check stubborn-command stubborn INT
	check stubborn-command-TERM stubborn 'INT TERM'
}
