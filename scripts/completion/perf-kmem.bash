# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Bash completion for perf-kmem.  Subcommands and options are those that the program lists
# (--list-options); keys, formats and the like are listed here, and tests/manual compares them
# with the program's.

_perf_kmem_by="callsite stack ptr page cache comm pid tid cpu node module gfp order migtype accounted size cgroup memcg block_migtype migrate_reason age ustack usym udso usrcline"
_perf_kmem_columns="$_perf_kmem_by bytes hit frag pingpong req mean live live-hit unseen freed lifetime p50 p99 short"
_perf_kmem_top_columns="hits/s bytes/s frees/s hit bytes freed live live-hit growth"
_perf_kmem_leak_columns="$_perf_kmem_by behaviour evidence bytes hit growth oldest youngest"

# Words for a comma-separated list: those that are not in it yet, appended to it.
_perf_kmem_list() {
	local cur=$1 have="" key
	[[ $cur == *,* ]] && have=${cur%,*},
	for key in $2; do
		[[ ,$have == *",$key,"* ]] || printf '%s\n' "$have$key"
	done
}

_perf_kmem() {
	local program=$1 cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local subcommand="" i words known

	# --format=json arrives as three words
	[[ $cur != = ]] || cur=""
	[[ $prev != = ]] || prev=${COMP_WORDS[COMP_CWORD - 2]}

	known=$("$program" --list-options 2>/dev/null)
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} != -* && $'\n'$known$'\n' == *$'\n'"${COMP_WORDS[i]}"$'\n'* ]]; then
			subcommand=${COMP_WORDS[i]}
			break
		fi
	done
	# after `record ... --` the recorded command is completed as one
	if [[ $subcommand == record ]]; then
		for ((; i < COMP_CWORD; i++)); do
			if [[ ${COMP_WORDS[i]} == -- ]]; then
				COMPREPLY=()
				if declare -F _command_offset >/dev/null; then
					_command_offset $((i + 1))
				else
					mapfile -t COMPREPLY < <(compgen -c -- "$cur")
				fi
				return
			fi
		done
	fi

	words=""
	case $prev in
	-i | --input | -o | --output | --kallsyms | --tracefs | --snapshot-on)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
		;;
	--by) words=$(_perf_kmem_list "$cur" "$_perf_kmem_by") ;;
	-s | --sort | --fields)
		words=$_perf_kmem_columns
		[[ $subcommand != leak ]] || words=$_perf_kmem_leak_columns
		[[ $subcommand != top ]] || words=$_perf_kmem_top_columns
		words=$(_perf_kmem_list "$cur" "$words")
		;;
	--weight) words="bytes hit live" ;;
	--format) words="text json markdown csv html folded pprof chrome" ;;
	--input-format) words="perfdata page_owner trace_dat tracefs trace_text page_owner_stacks allocinfo slabinfo snapshot" ;;
	--style) words="default stock" ;;
	--switch-output) words=signal ;;
	-l | --line | --time | --skip-callsite | --max-stack | --comm | --pid | --tid | --cpu | --node | --cache | \
		-d | --delay | -n | --count | --callsite | --module | --gfp | --order | --min-bytes | --min-age | -j | --jobs)
		COMPREPLY=()
		return
		;;
	esac
	if [[ -n $words ]]; then
		[[ $words != *,* && $prev != --by ]] || compopt -o nospace 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
		return
	fi

	if [[ $subcommand == diff && $cur != -* ]]; then
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
	fi
	case $subcommand in
	help) words=$(grep -v ^- <<<"$known") ;;
	"") words=$known ;;
	*) words=$("$program" "$subcommand" --list-options 2>/dev/null) ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

complete -F _perf_kmem perf-kmem
