# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# shellcheck disable=SC2154 # here is run's
#
# --percpu and --extfrag, computed anew from the raw events; run sources it.
#
#   percpu-extfrag          record --all under a load that makes all of these events
#   percpu-extfrag-changed  the same, with fallbacks made fragmenting, for stock and for us
#   percpu-record-OPTION    record --percpu and --extfrag record what their report needs

# inside NAME: our figures of $TMP/NAME.data, and what they are made of is what stock reads
inside() {
	recompute --inside "$TMP/$1.data"
	stock_text "$TMP/$1.data"
}

record_inside() {
	"$PERF" kmem record -q -o "$TMP/$1.data" "${@:2}" -- python3 "$here/inside_load.py" run "$TMP" </dev/null
}

# Take what lies free for pages that cannot move, so that the load has to fall back.
inside_hold() {
	coproc HOLD { exec python3 "$here/inside_load.py" hold; }
	# shellcheck disable=SC2153
	hold_pid=$HOLD_PID
	read -r -t 60 <&"${HOLD[0]}"
}

inside_release() {
	local input=${HOLD[1]}
	exec {input}>&-
	wait "$hold_pid"
}

# The report has something to say on everything that the option is to record.
records_for() {
	record_inside "$1" "--$1"
	"$PERF" kmem stat -i "$TMP/$1.data" "--$1" >"$TMP/$1.report"
	! grep -E 'not recorded|without|holds no' "$TMP/$1.report"
}

if ! inside_hold 2>inside.err || ! record_inside inside --all 2>inside.err; then
	skip percpu-extfrag "no such load or recording here ($(tail -n 1 inside.err))"
else
	check percpu-extfrag inside inside
	id=$(cat /sys/kernel/tracing/events/kmem/mm_page_alloc_extfrag/id 2>/dev/null || true)
	if script make_fragmenting.py inside.data changed.data "${id:-0}" >changed.log; then
		check percpu-extfrag-changed inside changed
	else
		skip percpu-extfrag-changed 'no fallback happened here'
	fi
	check percpu-record-percpu records_for percpu
	check percpu-record-extfrag records_for extfrag
	inside_release
fi
