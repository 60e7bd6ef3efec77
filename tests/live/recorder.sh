# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The recorder when things go wrong, when it makes several files, and what it filters.
# A part of tests/live/run, which sources it; recorder_checks runs all.

# samples FILE: how many samples a recording has; checks that it can be reported
samples() {
	"$PERF" kmem stat -i "$1" --slab --page --format=json |
		python3 -c 'import json, sys; print(sum(e["samples"] for e in json.load(sys.stdin)["recording"]["events"]))'
}

# written FILE: how many samples its bytes contain, found by walking from header to header, without
# our reader
written() {
	python3 - "$1" <<-'EOF'
		import struct, sys
		data = open(sys.argv[1], 'rb').read()
		at, = struct.unpack_from('<Q', data, 40)
		n = 0
		while at + 8 <= len(data):
			kind, _, size = struct.unpack_from('<IHH', data, at)
			if size < 8 or at + size > len(data):
				break
			n += kind == 9
			at += size
		print(n)
	EOF
}

load() {
	local i
	for ((i = 0; i < ${1:-3}; i++)); do ls -R /usr/include >/dev/null; done
}

# background NAME OPTION...: record to $TMP/NAME.data, wait until events are being recorded; sets
# `pid`
background() {
	local name=$1
	shift
	"$PERF" kmem record -o "$TMP/$name.data" "$@" >"$TMP/$name.log" 2>&1 &
	pid=$!
	for _ in $(seq 100); do
		! grep -q '^\[ Recording' "$TMP/$name.log" || break
		sleep 0.1
	done
}

# The same through perf_event_open.
env_perf() {
	PERF_CONFIG=$TMP/via-perf "$@"
}

killed() {
	local pid n in_file
	background killed
	load
	sleep 0.6
	kill -9 $pid
	wait $pid 2>/dev/null || true
	n=$(samples "$TMP/killed.data" 2>"$TMP/killed.err")
	cat "$TMP/killed.err"
	in_file=$(written "$TMP/killed.data")
	echo "$n samples of $in_file in the file"
	((n > 1000 && n >= in_file)) && [[ $(wc -l <"$TMP/killed.err") == 1 ]]
}

stopped() {
	local pid n
	background stopped -m 1M
	kill -STOP $pid
	load 3
	sleep 2
	kill -CONT $pid
	sleep 0.5
	kill -INT $pid
	wait $pid || return 1
	cat "$TMP/stopped.log"
	n=$(samples "$TMP/stopped.data")
	echo "$n samples"
	# it does not fit in 1 MiB: the loss is reported at the end, and in the report
	((n > 1000)) && grep -q 'lost [0-9]* of [0-9]* events' "$TMP/stopped.log" &&
		grep -q 'a larger buffer' "$TMP/stopped.log" &&
		"$PERF" kmem stat -i "$TMP/stopped.data" 2>&1 | grep -qi lost
}

# Rounds as they are in a file that is not compressed: each keeps its promise, that nothing follows that is
# older than the newest sample of the round before; and none holds much more than a recorder that had to
# wait takes at once, since a reader keeps two of them in memory.  The recorder waits until its buffers
# are full.
rounds() {
	local pid load
	background rounds -z0 -m "$1"
	(while :; do ls -R /usr/include >/dev/null; done) &
	load=$!
	kill -STOP $pid
	load 8
	kill -CONT $pid
	sleep 0.5
	kill $load
	wait $load 2>/dev/null || true
	kill -INT $pid
	wait $pid || return 1
	cat "$TMP/rounds.log"
	python3 - "$TMP/rounds.data" <<-'EOF'
		import struct, sys
		data = open(sys.argv[1], 'rb').read()
		at, = struct.unpack_from('<Q', data, 40)
		promised = newest = late = samples = 0
		sizes = [0]
		while at + 8 <= len(data):
		    kind, _, size = struct.unpack_from('<IHH', data, at)
		    if size < 8:
		        break
		    if kind == 9:
		        time, = struct.unpack_from('<Q', data, at + 32)
		        late += time < promised
		        newest = max(newest, time)
		        samples += 1
		        sizes[-1] += size
		    elif kind == 68:
		        promised, last = (last if len(sizes) > 1 else 0), newest
		        sizes.append(0)
		    at += size
		print(samples, 'samples', late, 'late; rounds:', sizes)
		sys.exit(late or samples < 100000 or max(sizes) > 40 << 20)
	EOF
}

# twice_traced LEVEL: 6000 kvmalloc(), whose two traces are as close as events can be: inner and outer one
# stay in order, and each pair counts once, however hard the recording is compressed
twice_traced() {
	local level=$1 out=$TMP/twice
	"$PERF" kmem record -q --via bpf -z"$level" --slab -o "$out.data" -- "$TMP/known-load" attributes 6000 free
	"$PERF" script --ns -i "$out.data" | grep -F "$KNOWN_HOLDER" | grep -F ' bytes_alloc=16384 ' >"$out.lines"
	"$PERF" kmem stat -i "$out.data" --slab --comm "$KNOWN_HOLDER" --min-bytes 16K --by callsite --format=json >"$out.json"
	python3 - "$out.lines" "$out.json" <<-'EOF'
		import json, re, sys
		sites = [re.search(r'call_site=(\S+)', line)[1] for line in open(sys.argv[1])]
		slab = json.load(open(sys.argv[2]))['slab']
		hits = {r['symbol']: r['hits'] for r in slab['tables'][0]['rows']}
		dropped, unseen = slab['summary']['duplicates_dropped'], slab['summary']['unseen_frees']
		outer = max(hits, key=hits.get)
		twice = len(set(sites)) > 1 # before 6.10 they were traced once
		reversed_pairs = sum(s.split('+')[0] == outer for s in sites[::2]) if twice else 0
		print(f'{len(sites)} traces of {set(sites)}, {reversed_pairs} pairs reversed;',
		      f'{hits}, {dropped} second traces, {unseen} frees that were not seen')
		# a pair that another task interrupted may be too far apart
		sys.exit(len(sites) != 6000 * (1 + twice) or bool(reversed_pairs) or hits[outer] != 6000 or unseen > 5)
	EOF
}

# kthread_recorded OPTION...|watched: a kernel thread that begins while events are recorded, or watched, has its own
# name
kthread_recorded() {
	local out=$TMP/kthread mounts=$TMP/kthread-mount
	mkdir -p "$mounts"
	truncate -s 16M "$out.img"
	mkfs.ext4 -qF "$out.img"
	cat >"$out.sh" <<-EOF
		mount -o loop "$out.img" "$mounts"
		for i in 1 2 3 4 5; do
			echo x >"$mounts/f\$i"
			sync -f "$mounts"
		done
		umount "$mounts"
	EOF
	if [[ ${1-} == watched ]]; then
		"$PERF" kmem stat -b --slab --by comm -- sh "$out.sh" >"$out.txt"
	else
		"$PERF" kmem record -q --slab "$@" -o "$out.data" -- sh "$out.sh"
		"$PERF" kmem stat -i "$out.data" --slab --by comm >"$out.txt"
	fi
	grep -E 'kthreadd|jbd2/loop' "$out.txt"
	grep -q 'jbd2/loop[0-9]' "$out.txt"
}

disk_full() {
	local status=0 n dir=$TMP/full
	mkdir -p "$dir"
	mount -t tmpfs -o size=1m none "$dir" || return 1
	"$PERF" kmem record -z0 -o "$dir/perf.data" -- sh -c 'ls -R /usr/include; ls -R /usr/include' \
		>/dev/null 2>"$TMP/full.log" || status=$?
	n=$(samples "$dir/perf.data" 2>>"$TMP/full.log" || echo 0)
	cp "$dir/perf.data" "$TMP/full.data"
	umount "$dir"
	cat "$TMP/full.log"
	echo "status $status, $n samples"
	((status == 1 && n > 1000)) && grep -q 'No space left' "$TMP/full.log" &&
		grep -q 'could not be written' "$TMP/full.log" || return 1
	# the report says so, too, and does not blame the kernel
	"$PERF" kmem stat -i "$TMP/full.data" >"$TMP/full.out" 2>&1
	head -n 5 "$TMP/full.out"
	grep -q 'LOST EVENTS' "$TMP/full.out" && ! grep -q 'never delivered' "$TMP/full.out"
}

# A limit of the shell instead of a full disk: one line, not a dead recorder.
file_limit() {
	local status=0 n
	(
		ulimit -f 400
		exec "$PERF" kmem record -z0 -o "$TMP/limit.data" -- ls -R /usr/include
	) >/dev/null 2>"$TMP/limit.log" || status=$?
	n=$(samples "$TMP/limit.data" 2>/dev/null || echo 0)
	cat "$TMP/limit.log"
	echo "status $status, $n samples"
	((status == 1 && n > 1000)) && grep -q 'File too large' "$TMP/limit.log"
}

no_command() {
	local status=0
	echo earlier >"$TMP/kept.data"
	"$PERF" kmem record -o "$TMP/kept.data" -- no-such-command-anywhere >"$TMP/kept.log" 2>&1 || status=$?
	cat "$TMP/kept.log"
	echo "status $status"
	((status == 127)) && [[ $(cat "$TMP/kept.data") == earlier ]] && ! ls "$TMP"/kept.data?* 2>/dev/null
}

# wait_written NAME: until its recorder has reported a file, 5 s at most
wait_written() {
	for _ in $(seq 50); do
		! grep -q 'wrote' "$TMP/$1.log" || break
		sleep 0.1
	done
}

# The last thing that ran before the signal is in the snapshot; what ran long before is not.
snapshot() {
	local pid file first last cpu loads=()
	cp "$(type -P true)" "$TMP/first-marker"
	cp "$(type -P true)" "$TMP/last-marker"
	background snap --overwrite -m 2M
	"$TMP/first-marker"
	# the buffers of all CPUs wrap around several times
	for cpu in $(seq 0 $(($(nproc) - 1))); do
		(for _ in 1 2 3 4; do taskset -c "$cpu" ls -R /usr/include >/dev/null; done) &
		loads+=($!)
	done
	wait "${loads[@]}"
	"$TMP/last-marker"
	kill -USR2 $pid
	wait_written snap
	kill -INT $pid
	wait $pid || return 1
	cat "$TMP/snap.log"
	file=$(ls "$TMP"/snap.data.2*)
	first=$("$PERF" kmem stat -i "$file" --slab --comm first-marker --format=json | python3 -c "$hits")
	last=$("$PERF" kmem stat -i "$file" --slab --comm last-marker --format=json | python3 -c "$hits")
	echo "first: $first, last: $last allocations"
	((first == 0 && last > 10)) && samples "$TMP/snap.data"
}
hits='import json, sys; print(json.load(sys.stdin)["slab"]["summary"]["allocations"])'

snapshot_file() {
	local pid
	background snapf --overwrite -m 512K --snapshot-on "$TMP/trigger"
	load 1
	touch "$TMP/trigger"
	wait_written snapf
	kill -INT $pid
	wait $pid || return 1
	cat "$TMP/snapf.log"
	# not on exit: that was not requested
	[[ ! -e $TMP/trigger && ! -e $TMP/snapf.data ]] && samples "$TMP"/snapf.data.2*
}

switching() {
	local n=0 f
	"$PERF" kmem record --switch-output=200ms --max-files 2 -o "$TMP/switch.data" -- \
		sh -c 'for i in 1 2 3 4; do ls -R /usr/include; sleep 0.2; done' >/dev/null 2>"$TMP/switch.log" || return 1
	cat "$TMP/switch.log"
	for f in "$TMP"/switch.data.*; do
		samples "$f" || return 1
		n=$((n + 1))
	done
	((n == 2)) && [[ ! -e $TMP/switch.data ]] && grep -q 'newest 2 of the files were kept' "$TMP/switch.log"
}

filtered() {
	"$PERF" kmem record -q --filter 'bytes_alloc >= 4096' -o "$TMP/filter.data" -- ls -R /usr/include >/dev/null || return 1
	"$PERF" kmem stat -i "$TMP/filter.data" --alloc --format=json | python3 -c '
import json, sys
rows = json.load(sys.stdin)["slab"]["tables"][0]["rows"]
small = [r for r in rows if r["bytes_alloc"] < 4096 * r["hits"]]
print(len(rows), "objects,", len(small), "too small")
sys.exit(not rows or bool(small))'
}

# filter_error FILTER WORDS
filter_error() {
	local status=0
	"$PERF" kmem record --filter "$1" -o "$TMP/refused.data" -- true >"$TMP/refused.log" 2>&1 || status=$?
	cat "$TMP/refused.log"
	((status == 1)) && [[ ! -e $TMP/refused.data && $(wc -l <"$TMP/refused.log") == 1 ]] && grep -qF "$2" "$TMP/refused.log"
}

timed() {
	local start=$SECONDS took
	# an idle machine may have no event at all for a second
	for _ in {1..30}; do ls / && sleep 0.05; done >/dev/null &
	"$PERF" kmem record --duration 1s -o "$TMP/timed.data" >"$TMP/timed.log" 2>&1 || return 1
	took=$((SECONDS - start))
	wait $!
	cat "$TMP/timed.log"
	# by itself, but a busy machine takes a while to begin
	((took <= 20)) && samples "$TMP/timed.data"
}

# The duration begins when the delay is over.
delayed() {
	local pid status=0
	(while :; do ls -R /usr/include >/dev/null; done) &
	pid=$!
	"$PERF" kmem record -D 200 --duration 500ms -o "$TMP/delayed.data" >"$TMP/delayed.log" 2>&1 || status=$?
	kill $pid
	wait $pid 2>/dev/null || true
	cat "$TMP/delayed.log"
	"$PERF" kmem stat -i "$TMP/delayed.data" --format=json | python3 -c '
import json, sys
r = json.load(sys.stdin)["recording"]
seconds = (r["last_ns"] - r["first_ns"]) / 1e9
print(status := sys.argv[1], seconds, "s")
sys.exit(status != "0" or not 0.2 < seconds < 20)' $status
}

# recorded FILE...: the seconds from start to stop of each, and from one file to the next
recorded() {
	local f
	for f in "$@"; do "$PERF" kmem stat -i "$f" --format=json -l 1 || return 1; done | python3 -c '
import json, sys
text, at, before = sys.stdin.read(), 0, None
while text[at:].strip():
    report, n = json.JSONDecoder().raw_decode(text[at:].lstrip())
    at += len(text[at:]) - len(text[at:].lstrip()) + n
    r = report["recording"]
    assert not r["last_ns"] or r["start_ns"] <= r["first_ns"] and r["last_ns"] <= r["stop_ns"], r
    print((r["stop_ns"] - r["start_ns"]) / 1e9, (r["start_ns"] - before) / 1e9 if before else "")
    before = r["stop_ns"]'
}

# A process that keeps what it allocated and does nothing: the recording is as long as it was
# watched.
long_as_watched() {
	local pid recorder status=0
	mkfifo "$TMP/idle-go"
	# shellcheck disable=SC2016
	sh -c 'read -r _ <"$1"; exec 7<>/dev/null; exec sleep 30' idle "$TMP/idle-go" &
	pid=$!
	"$PERF" kmem record -q --slab -p $pid --duration 3s -o "$TMP/idle-held.data" &
	recorder=$!
	for _ in $(seq 100); do
		[[ ! -e $TMP/idle-held.data ]] || break
		sleep 0.1
	done
	echo go >"$TMP/idle-go"
	wait $recorder || status=$?
	kill $pid
	wait $pid 2>/dev/null || true
	((status == 0)) || return 1
	recorded "$TMP/idle-held.data" >"$TMP/idle-held.seconds" || return 1
	cat "$TMP/idle-held.seconds"
	awk '$1 < 3 || $1 > 30 { exit 1 }' "$TMP/idle-held.seconds" || return 1
	"$PERF" kmem leak -i "$TMP/idle-held.data" --min-age 2 --format=json | python3 -c '
import json, sys
rows = json.load(sys.stdin)["leak"]["slab"]["rows"]
print(len(rows), "rows")
sys.exit(not rows)' || return 1
	# each file has its own time span, and the next one begins where it ends
	recorded "$TMP"/switch.data.* >"$TMP/switch.seconds" || return 1
	cat "$TMP/switch.seconds"
	awk '$1 < 0.1 || (NF > 1 && ($2 > 0.001 || $2 < -1)) { exit 1 }' "$TMP/switch.seconds" || return 1
	recorded "$TMP"/snap.data.2* "$TMP/snap.data" || return 1
	recorded "$TMP/delayed.data" >"$TMP/delayed.seconds"
	cat "$TMP/delayed.seconds"
	awk '$1 < 0.5 || $1 > 10 { exit 1 }' "$TMP/delayed.seconds"
}

# A CPU appears to go offline, to the recorder alone: it sees a different file of online CPUs.  It
# takes the events of perf_event_open with it; BPF programs go on when it comes back.
offline() {
	local last=$(($(nproc --all) - 1))
	[[ -e /sys/devices/system/cpu/cpu$last ]] || return 1
	seq -s, 0 $((last - 1)) >"$TMP/online"
	# shellcheck disable=SC2016
	unshare -m sh -c '"$1" kmem record -q --via perf --duration 2s -o "$2" &
		until [ -e "$2" ] || ! kill -0 $!; do sleep 0.1; done
		mount --bind "$3" /sys/devices/system/cpu/online && wait' \
		offline "$PERF" "$TMP/offline.data" "$TMP/online" || return 1
	"$PERF" kmem stat -i "$TMP/offline.data" >"$TMP/offline.txt" || return 1
	head -n 5 "$TMP/offline.txt"
	grep -q "^# Offline: *CPU $last went offline" "$TMP/offline.txt" || return 1
	"$PERF" kmem stat -i "$TMP/offline.data" --format=json | python3 -c '
import json, sys
cpus = json.load(sys.stdin)["recording"]["offline_cpus"]
print(cpus)
sys.exit(cpus != [int(sys.argv[1])])' "$last"
}

# None of the recorder's own allocations show.  Those of an interrupt that comes while it runs may, but
# not each time.
not_itself() {
	local pid n

	for _ in 1 2 3; do
		rm -f "$TMP/idle.data"
		# by its pid: another perf may be at work on this machine
		"$PERF" kmem record -q --duration 2s --slab --page -o "$TMP/idle.data" &
		pid=$!
		wait "$pid" || return 1
		"$PERF" kmem stat -i "$TMP/idle.data" --slab --pid "$pid" --format=json >"$TMP/idle.json"
		n=$(python3 -c "$hits" <"$TMP/idle.json")
		echo "$n"
		((n)) || return 0
	done
	"$PERF" kmem stat -i "$TMP/idle.data" --slab --pid "$pid" --by callsite
	return 1
}

# If another perf is installed, it reads each kind of file.
stock_reads() {
	local f status=0
	for f in "$TMP"/{exit,killed,stopped,full,snap,filter,timed}.data "$TMP"/{snap,switch}.data.2*; do
		if ! perf script -i "$f" >"$TMP/stock.out" 2>"$TMP/stock.err" || ! grep -q kmem: "$TMP/stock.out"; then
			# a killed recorder wrote no features, which stock insists on
			[[ $f != */killed.data ]] || continue
			echo "perf script: $f: $(tail -n 1 "$TMP/stock.err")"
			status=1
		fi
	done
	return $status
}

# Every record is a multiple of 8 bytes, or perf 7.2 rejects the recording.  Stock exempts the two kinds
# whose sizes it makes odd itself (TRACING_DATA, COMPRESSED).
aligned() {
	"$PERF" kmem record -q --slab --page --user-stacks "$@" -o - -- true >"$TMP/aligned.data" </dev/null || return 1
	python3 - "$TMP/aligned.data" <<-'EOF'
		import collections, struct, sys
		data = open(sys.argv[1], 'rb').read()
		at, kinds, odd = 16, collections.Counter(), collections.Counter()
		while at < len(data):
		    kind, _, size = struct.unpack_from('<IHH', data, at)
		    assert size >= 8, (at, kind, size)
		    kinds[kind] += 1
		    odd[kind] += size % 8 != 0
		    at += size + (struct.unpack_from('<I', data, at + 8)[0] if kind == 66 else 0)
		print(kinds, {kind: n for kind, n in odd.items() if n})
		sys.exit(at != len(data) or not {64, 66, 67, 78, 80} < set(kinds) or any(n for k, n in odd.items() if k not in (66, 81)))
	EOF
}

# The date in the recording is the present one.
dated() {
	local before
	before=$(date +%s%N)
	"$PERF" kmem record -q -o "$TMP/dated.data" -- true || return 1
	"$PERF" kmem stat -i "$TMP/dated.data" --format=json |
		python3 -c 'import json, sys; t = json.load(sys.stdin)["recording"]["wall_clock_ns"]; assert int(sys.argv[1]) <= t <= int(sys.argv[1]) + 60e9, t' "$before"
}

# One event in seven: nothing is missing, and every format says what it counts.
one_of_seven() {
	"$PERF" kmem record -c 7 -o "$TMP/seven.data" -- sh -c 'ls -R /usr/include' >/dev/null 2>"$TMP/seven.log" || return 1
	"$PERF" kmem stat -i "$TMP/seven.data" >"$TMP/seven.out" 2>>"$TMP/seven.log" || return 1
	"$PERF" kmem leak -i "$TMP/seven.data" --format=csv >"$TMP/seven.csv" 2>>"$TMP/seven.log" || return 1
	"$PERF" kmem leak -i "$TMP/seven.data" --format=json >"$TMP/seven.json" 2>>"$TMP/seven.log" || return 1
	cat "$TMP/seven.log"
	# what softirqs free over an idle CPU may be missing, but not six in seven
	! grep -E '\([0-9]{2}\.[0-9] ?%\) were counted but never delivered' "$TMP/seven.log" || return 1
	[[ $(grep -c 'one event in 7 was recorded' "$TMP/seven.log") == 3 ]] || return 1
	grep -q '^# ONE EVENT IN 7' "$TMP/seven.out" || return 1
	! grep ',high,' "$TMP/seven.csv" || return 1
	python3 -c 'import json, sys; r = json.load(sys.stdin); assert {e["one_of"] for e in r["recording"]["events"]} == {7}, r
assert abs(r["leak"]["slab"]["frees_lost_percent"] - 600 / 7) < 1, r["leak"]["slab"]["frees_lost_percent"]' <"$TMP/seven.json"
}

# The way that is chosen, and why it is not BPF; what BPF cannot do is refused if it is asked for.
chosen() {
	local what words status
	"$PERF" kmem record -v -o "$TMP/chosen.data" -- true 2>&1 | tee "$TMP/chosen.log"
	grep -qx 'recording through BPF' "$TMP/chosen.log" || return 1
	while IFS='|' read -r what words; do
		# shellcheck disable=SC2086
		"$PERF" kmem record -v $what -o "$TMP/chosen.data" -- true 2>&1 | tee "$TMP/chosen.log"
		grep -q "^recording through perf_event_open: .*$words" "$TMP/chosen.log" || return 1
		status=0
		# shellcheck disable=SC2086
		"$PERF" kmem record --via bpf $what -o "$TMP/refused-bpf.data" -- true >"$TMP/chosen.log" 2>&1 || status=$?
		cat "$TMP/chosen.log"
		((status)) && [[ $(wc -l <"$TMP/chosen.log") == 1 && ! -e $TMP/refused-bpf.data ]] &&
			grep -q -- "--via bpf: .*$words" "$TMP/chosen.log" || return 1
	done <<-'EOF'
		--filter ptr>1|--filter
		-e kmem:rss_stat|kmem:rss_stat
		-c 2|one event in several
		-g --user-stacks=dwarf|user stacks
		--overwrite|overwrite
	EOF
	! "$PERF" kmem record -v --via perf -o "$TMP/chosen.data" -- true 2>&1 | grep -q "through BPF"
}

# Two recorders beside each other, one each way, around the same command: the rows of its own
# events are the same.  (What is live, or
# went to another CPU, depends on who frees, which may be a softirq over an idle CPU.)
both_ways() {
	local way report
	"$PERF" kmem record --slab --page --via perf -o "$TMP/way-perf.data" -- \
		"$PERF" kmem record --slab --page --via bpf -o "$TMP/way-bpf.data" -- \
		"$TMP/known-load" pipes 300 free </dev/null 2>&1 || return 1
	for way in perf bpf; do
		for report in --slab --page; do
			"$PERF" kmem stat -i "$TMP/way-$way.data" $report --caller --alloc --comm "$KNOWN_HOLDER" --format=json
		done >"$TMP/way-$way.json" || return 1
	done
	python3 - "$TMP/way-perf.json" "$TMP/way-bpf.json" <<-'EOF'
		import json, sys
		def reports(path):
		    text, at = open(path).read(), 0
		    while text[at:].strip():
		        at += len(text[at:]) - len(text[at:].lstrip())
		        report, n = json.JSONDecoder().raw_decode(text[at:])
		        at += n
		        yield report
		def rows(path):
		    seen = {}
		    for r in reports(path):
		        assert not r['recording']['lost_samples'], r['recording']
		        for allocator in ('slab', 'page'):
		            for i, table in enumerate(r.get(allocator, {}).get('tables', [])):
		                for row in table['rows']:
		                    key = [allocator, i] + [row.get(k) for k in ('callsite', 'symbol', 'ptr', 'pfn', 'page', 'order', 'migratetype', 'gfp_flags')]
		                    seen[tuple(key)] = [row.get(k) for k in ('hits', 'bytes', 'bytes_req', 'bytes_alloc')]
		    return seen
		perf, bpf = map(rows, sys.argv[1:])
		different = [(k, perf.get(k), bpf.get(k)) for k in perf.keys() | bpf.keys() if perf.get(k) != bpf.get(k)]
		print(len(perf), 'rows;', len(different), 'differ:', different[:5])
		sys.exit(len(perf) < 100 or bool(different))
	EOF
}

# The rows of live memory are also the same, both ways: frees that perf_event_open counts and does not
# deliver (those of softirqs over an idle CPU) are all that may be missing there.
leaks_both_ways() {
	local way sleeper
	rm -f "$TMP/hold"
	mkfifo "$TMP/hold"
	sleep 300 >"$TMP/hold" &
	sleeper=$!
	# the one inside ends first: by then what is freed after a grace period has been
	"$PERF" kmem record --slab --page --via perf -o "$TMP/way-perf.data" -- \
		"$PERF" kmem record --slab --page --via bpf -o "$TMP/way-bpf.data" -- \
		sh -c "'$TMP/known-load' pipes,files,sockets,timers,pages $N keep; sleep 2" <"$TMP/hold" 2>&1
	kill $sleeper
	wait $sleeper 2>/dev/null || true
	for way in perf bpf; do
		"$PERF" kmem leak -i "$TMP/way-$way.data" --slab --page --comm "$KNOWN_HOLDER" --format=json \
			>"$TMP/way-$way.leak.json" 2>"$TMP/way-$way.leak.err" || return 1
	done
	cat "$TMP"/way-*.leak.err
	! grep 'never delivered' "$TMP/way-bpf.leak.err" || return 1
	python3 - "$TMP/way-perf.leak.json" "$TMP/way-bpf.leak.json" $N "$TMP/way-perf.leak.err" <<-'EOF'
		import json, re, sys
		perf, bpf = (json.load(open(path)) for path in sys.argv[1:3])
		n = int(sys.argv[3])
		# of caches whose frees are not all traced, what else was seen of them decides, and may make a row one that
		# cannot be judged: the other recording has the events of a recorder, too
		untraced, untraced_sites = set(), set()
		def site(row):
		    return row['callsite'], row.get('cache')
		def rows(report):
		    seen = {}
		    for allocator in ('slab', 'page'):
		        for row in report['leak'][allocator]['rows']:
		            key = tuple([allocator] + [row.get(k) for k in ('callsite', 'symbol', 'cache', 'gfp', 'order', 'migratetype')])
		            seen[key] = row['hits'], row['bytes']
		            if 'not traced' in (row['reason'] or ''):
		                untraced.add(key)
		    untraced_sites.update(site(row) for row in report['leak']['frees_not_traced'])
		    return seen
		lost = sum(report['recording']['lost_samples'] for report in (perf, bpf))
		told = re.search(r'(\d+) events \([0-9.]*%\) were counted but never delivered', open(sys.argv[4]).read())
		# fewer than one in a hundred are not reported
		samples = sum(e['samples'] for e in perf['recording']['events'])
		undelivered = int(told[1]) if told else samples // 100
		assert lost < 50, lost
		perf, bpf = rows(perf), rows(bpf)
		different = [(k, perf.get(k, (0, 0)), bpf.get(k, (0, 0))) for k in (perf.keys() | bpf.keys()) - untraced
		             if (k[1], k[3]) not in untraced_sites and perf.get(k) != bpf.get(k)]
		more = sum(p[0] - b[0] for _, p, b in different)
		print(len(bpf), 'rows;', len(different), 'differ:', different, undelivered, 'undelivered,', lost, 'lost')
		assert all(p[0] + lost >= b[0] for _, p, b in different) and more <= undelivered + lost
		for names in ('alloc_pipe_info', 'shmem_alloc_inode', 'sk_prot_alloc', 'do_timer_create|alloc_posix_timer'):
		    for seen in (perf, bpf):
		        assert n in [hits for key, (hits, _) in seen.items() if key[2] in names.split('|')], names
	EOF
}

recorder_checks() {
	local level
	check killed killed
	check stopped stopped
	check rounds rounds 64M
	printf '[kmem]\nvia = perf\n' >"$TMP/via-perf"
	check killed-perf env_perf killed
	check stopped-perf env_perf stopped
	check rounds-perf env_perf rounds 4M
	if ((EUID == 0)); then
		check disk-full disk_full
		check disk-full-perf env_perf disk_full
	else
		skip disk-full 'needs root'
	fi
	if "$PERF" kmem record -q --via bpf -o "$TMP/chosen.data" -- true >"$TMP/chosen.log" 2>&1; then
		check chosen chosen
		check both-ways both_ways
		check both-ways-leak leaks_both_ways
		for level in 1 3 9; do check "twice-traced-z$level" twice_traced "$level"; done
	else
		skip chosen "$(tail -n 1 "$TMP/chosen.log")"
		skip both-ways "$(tail -n 1 "$TMP/chosen.log")"
		skip both-ways-leak "$(tail -n 1 "$TMP/chosen.log")"
		skip twice-traced "$(tail -n 1 "$TMP/chosen.log")"
	fi
	if ((EUID != 0)) || ! command -v mkfs.ext4 >/dev/null || ! losetup -f >/dev/null 2>&1; then
		skip kthread 'needs root, mkfs.ext4 and a loop device'
	else
		check kthread kthread_recorded
		check kthread-perf kthread_recorded --via perf
		if "$PERF" kmem stat -b --slab -- true >/dev/null 2>&1; then
			check kthread-watched kthread_recorded watched
		else
			skip kthread-watched "$("$PERF" kmem stat -b --slab -- true 2>&1 | tail -n 1)"
		fi
	fi
	check file-limit file_limit
	check no-command no_command
	if command -v taskset >/dev/null; then check snapshot snapshot; else skip snapshot 'needs taskset'; fi
	check snapshot-on-file snapshot_file
	check switch-output switching
	check filter filtered
	check filter-no-field filter_error 'bytes_allok > 1' 'Field not found'
	check filter-unbalanced filter_error 'bytes_alloc) || (ptr > 5' "Too few '('"
	check duration timed
	check delay delayed
	check long-as-watched long_as_watched
	if (($(nproc --all) < 2)); then
		skip offline 'there is one CPU'
	elif ! unshare -m true 2>/dev/null; then
		skip offline 'no right to have mounts of its own'
	else
		check offline offline
	fi
	check aligned aligned
	check aligned-uncompressed aligned -z0
	check dated dated
	check one-of-seven one_of_seven
	check not-itself not_itself
	check not-itself-perf env_perf not_itself
	if command -v perf >/dev/null && [[ $(realpath "$(command -v perf)") != "$(realpath "$PERF")" ]]; then
		check stock-reads stock_reads
	else
		skip stock-reads 'no other perf is installed'
	fi
}
