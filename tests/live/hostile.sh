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
	# said only once: the second one finds it mounted
	((status == 0)) && grep -q ' /sys/kernel/tracing tracefs ' "$TMP/mount.out" &&
		[[ $(grep -c 'mounted tracefs on /sys/kernel/tracing' "$TMP/mount.err") == 1 ]]
}

# not_mounted PREFIX...: the recorder, started with this prefix, says what to type and mounts
# nothing
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

# Which program handed over to us does not concern the command.
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

# alive PID: it is still running
alive() {
	kill -0 "$1" 2>/dev/null && ! grep -q '^State:.*zombie' "/proc/$1/status"
}

# ignored SIGNAL: a recorder started with it ignored keeps running, and ends on SIGINT
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

# catches PID: wait until a signal would end its recording, and not the program
catches() {
	for _ in $(seq 100); do
		(("0x$(sed -n 's/^SigBlk:[^0-9a-f]*//p' "/proc/$1/status")" & 2)) && return
		sleep 0.1
	done
}

# stubborn SIGNALS: a command that ignores them, and one signal to the recorder
stubborn() {
	local pid status=0 since end left
	# those of the run before would be taken for signs that this one has begun
	rm -f "$TMP/stubborn.data" "$TMP/stubborn.pid"
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

# adds_up FILE LOG: what the file has, plus what it says was lost or not written, is what the kernel
# counted
adds_up() {
	"$PERF" kmem stat -i "$1" --slab --format=json | python3 -c '
import json, re, sys
events = json.load(sys.stdin)["recording"]["events"]
log = open(sys.argv[1]).read()
samples, lost = sum(e["samples"] for e in events), sum(e["lost"] for e in events)
told = re.search(r"\((\d+) samples, (\d+) lost\)", log)
more = re.search(r"(\d+) events more could not be written", log)
print(samples, "samples,", lost, "lost or not written;", told and told.groups(), more and more.group(1))
sys.exit(not told or not more or samples != int(told[1]) or lost != int(told[2]) + int(more[1]) or not samples)' "$2"
}

# disk_full_by KIB OPTION...: in a file system of this many KiB
disk_full_by() {
	local status=0 dir=$TMP/small kib=$1 ok=1
	shift
	mkdir -p "$dir"
	mount -t tmpfs -o "size=${kib}k" none "$dir" || return 1
	"$PERF" kmem record "$@" -o "$dir/perf.data" -- \
		sh -c 'timeout 30 sh -c "while :; do ls -R /usr/include; done"; true' \
		>/dev/null 2>"$TMP/small.log" || status=$?
	cat "$TMP/small.log"
	adds_up "$dir/perf.data" "$TMP/small.log" || ok=
	umount "$dir"
	[[ $ok ]] && ((status == 1)) && grep -q 'No space left' "$TMP/small.log"
}

# In a directory like /tmp no other user's file is replaced or written to, and no name can be
# guessed.
sticky() {
	local dir=$TMP/sticky name status
	mkdir -p "$dir"
	chmod 1777 "$dir"
	for name in regular fifo link old; do
		case $name in
		regular) echo theirs >"$dir/$name" ;;
		fifo) mkfifo -m 666 "$dir/$name" ;;
		link) ln -s /dev/null "$dir/$name" ;;
		old) touch "$dir/old" && echo theirs >"$dir/old.old" && chown 65534 "$dir/old.old" ;;
		esac
		[[ $name == old ]] || chown -h 65534 "$dir/$name"
		status=0
		timeout 20 "$PERF" kmem record -o "$dir/$name" -- true >"$TMP/sticky.log" 2>&1 || status=$?
		cat "$TMP/sticky.log"
		((status == 1)) && grep -q 'belongs to user 65534' "$TMP/sticky.log" || return 1
	done
	[[ $(cat "$dir/regular" "$dir/old.old") == $'theirs\ntheirs' && $(readlink "$dir/link") == /dev/null ]] || return 1
	# our own files: as usual, and readable only by us
	(umask 0 && "$PERF" kmem record -q -o "$dir/ours" -- true && "$PERF" kmem record -q -o "$dir/ours" -- true) || return 1
	stat -c '%n %a %u' "$dir/ours" "$dir/ours.old"
	[[ $(stat -c '%a %u' "$dir/ours" "$dir/ours.old" | sort -u) == '600 0' ]] &&
		[[ -z $(find "$dir" -name '.perf-kmem*' -o -name '*.new*') ]]
}

# taken COMMAND...: done to the file while it is being written; the line that reports it is left in
# taken.log
taken() {
	local pid status=0
	(
		trap - INT
		exec "$PERF" kmem record -o "$TMP/taken.data" >"$TMP/taken.log" 2>&1
	) &
	pid=$!
	started taken
	"$@"
	kill -INT $pid
	wait $pid || status=$?
	cat "$TMP/taken.log"
	echo "status $status"
	((status == 1))
}

removed() {
	taken rm "$TMP/taken.data" && grep -q "taken.data' was removed while it was being written" "$TMP/taken.log"
}

replaced() {
	taken "$PERF" kmem record -q -o "$TMP/taken.data" -- true &&
		grep -q "the recording is '.*/taken.data.old'" "$TMP/taken.log" &&
		"$PERF" kmem stat -i "$TMP/taken.data.old" >/dev/null
}

# unread_fifo READER...: a FIFO that is not read, or not to its end: one signal ends the recorder
unread_fifo() {
	local pid status=0 since reader=
	rm -f "$TMP/fifo"
	mkfifo "$TMP/fifo"
	(
		trap - INT
		exec "$PERF" kmem record -z0 -o "$TMP/fifo" >"$TMP/fifo.log" 2>&1
	) &
	pid=$!
	if (($#)); then
		"$@" <"$TMP/fifo" &
		reader=$!
	fi
	catches $pid
	load 1
	sleep 0.5
	since=$SECONDS
	kill -INT $pid
	wait $pid || status=$?
	[[ -z $reader ]] || kill "$reader" 2>/dev/null || true
	cat "$TMP/fifo.log"
	echo "status $status after $((SECONDS - since)) s"
	((status == 1 && SECONDS - since < 8)) && grep -q 'nobody reads' "$TMP/fifo.log"
}

# At level 22, what a busy machine allocates in one second takes several: the level goes down, the
# recorder says so, and reacts to a signal at once.
slow_level() {
	local pid status=0 since busy
	(while :; do ls -R /usr/include >/dev/null; done) &
	busy=$!
	(
		trap - INT
		exec "$PERF" kmem record -m 4M -z22 -o "$TMP/slow.data" >"$TMP/slow.log" 2>&1
	) &
	pid=$!
	started slow
	sleep 3
	since=$SECONDS
	kill -INT $pid
	wait $pid || status=$?
	kill $busy
	wait $busy 2>/dev/null || true
	cat "$TMP/slow.log"
	echo "status $status after $((SECONDS - since)) s"
	((status == 0 && SECONDS - since < 10)) && grep -q 'level 22 could not keep up: it went down to level' "$TMP/slow.log" &&
		samples "$TMP/slow.data"
}

# figures FILE: what its report says about every event, and names of call sites
figures() {
	"$PERF" kmem stat --caller --slab --page --format=json -i "$1" | python3 -c '
import json, sys
report = json.load(sys.stdin)
r = report["recording"]
rows = [row for kind in ("slab", "page") for row in report[kind]["tables"][0]["rows"]]
named = sum(row["hits"] for row in rows if row["symbol"])
hits = sum(row["hits"] for row in rows)
print(sum(e["samples"] for e in r["events"]), r["truncated"], hits and named * 100 // hits, r["hostname"])'
}

# piped OPTION...: a recording through a pipe is complete, names its call sites, and has none of the
# command's output
piped() {
	local got file
	"$PERF" kmem record "$@" --slab --page -o - -- sh -c 'echo words; exec ls -R /usr/include' \
		2>"$TMP/piped.err" | cat >"$TMP/piped.data"
	[[ ${PIPESTATUS[0]} == 0 ]] || return 1
	grep -v '^/\|^[^ ]*$\|^$' "$TMP/piped.err" || true
	grep -qx words "$TMP/piped.err" || return 1
	got=$(figures - <"$TMP/piped.data")
	file=$(figures "$TMP/piped.data")
	echo "$got / $file"
	[[ $got == "$file" && $got == *" False "* ]] &&
		grep -q "to standard output (${got%% *} samples, 0 lost)" "$TMP/piped.err" &&
		((${got%% *} > 1000)) && [[ $(cut -d' ' -f3 <<<"$got") -ge 95 ]]
}

# If another perf is installed, it reads the recording, too.
stock_reads_pipe() {
	local options
	for options in -z1 -z0; do
		"$PERF" kmem record -q $options -o - -- ls -R /usr/include 2>/dev/null >"$TMP/piped.data" || return 1
		"$PERF" kmem stat -i "$TMP/piped.data" >/dev/null || return 1
		# through a pipe, and as a file of that form
		# shellcheck disable=SC2002
		cat "$TMP/piped.data" | perf script -i - 2>"$TMP/stock.err" | grep -c kmem: >"$TMP/stock.n" || return 1
		cat "$TMP/stock.n" "$TMP/stock.err"
		[[ $(samples "$TMP/piped.data") == "$(cat "$TMP/stock.n")" ]] || return 1
		# shellcheck disable=SC2002
		cat "$TMP/piped.data" | perf report --stdio -i - >"$TMP/stock.out" 2>/dev/null
		grep -q "of event 'kmem:kmalloc'" "$TMP/stock.out" || return 1
	done
}

# A reader that goes away ends the recording: one line, and no failure.
reader_leaves() {
	local status=0 busy
	# so much does not happen on an idle machine
	(while :; do ls -R /usr/include >/dev/null; done) &
	busy=$!
	timeout 60 "$PERF" kmem record -z0 -o - 2>"$TMP/leaves.err" | head -c 6000000 >/dev/null || status=${PIPESTATUS[0]}
	kill $busy
	wait $busy 2>/dev/null || true
	cat "$TMP/leaves.err"
	echo "status $status"
	((status == 0)) && grep -q "the reader of '-' went away; recording ended" "$TMP/leaves.err" &&
		[[ $(grep -c 'went away' "$TMP/leaves.err") == 1 ]]
}

not_to_a_terminal() {
	script -qec "$PERF kmem record -o - -- true" /dev/null >"$TMP/tty.out" 2>&1 </dev/null || true
	cat "$TMP/tty.out"
	grep -q "standard output is a terminal" "$TMP/tty.out"
}

# A FIFO gets the pipe format, too.
through_a_fifo() {
	local n
	rm -f "$TMP/fifo"
	mkfifo "$TMP/fifo"
	"$PERF" kmem record -q -o "$TMP/fifo" -- ls -R /usr/include >/dev/null &
	n=$(figures - <"$TMP/fifo")
	wait $! || return 1
	echo "$n"
	((${n%% *} > 1000))
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
	check clean-environment clean_environment
	check ignored-HUP ignored HUP
	check ignored-TERM ignored TERM
	check pipe piped
	check pipe-plain piped -z0
	check fifo through_a_fifo
	check reader-leaves reader_leaves
	if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
		check not-to-a-terminal not_to_a_terminal
	else
		skip not-to-a-terminal 'needs script(1) and a pty'
	fi
	if command -v perf >/dev/null && [[ $(realpath "$(command -v perf)") != "$(realpath "$PERF")" ]]; then
		check stock-reads-pipe stock_reads_pipe
	else
		skip stock-reads-pipe 'no other perf is installed'
	fi
	check removed-meanwhile removed
	check replaced-meanwhile replaced
	check unread-fifo unread_fifo
	check half-read-fifo unread_fifo sleep 30
	if "$PERF" version --build-options | grep -q 'libzstd: \[ on'; then
		check slow-level slow_level
	else
		skip slow-level 'built without zstd'
	fi
	if ((EUID)); then
		for name in disk-full-packed disk-full-packed-3 disk-full-plain sticky; do skip $name 'needs root'; done
	else
		check disk-full-packed disk_full_by 600
		check disk-full-packed-3 disk_full_by 700 -z3
		check disk-full-plain disk_full_by 1500 -z0
		check sticky sticky
	fi
	check stubborn-command stubborn INT
	check stubborn-command-TERM stubborn 'INT TERM'
}
