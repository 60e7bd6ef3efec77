# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Bash completion for perf-kmem: subcommands, options, sort keys, files.

_perf_kmem_keys() {
	local have="" cur=$1 key
	[[ $cur == *,* ]] && have=${cur%,*},
	for key in ptr callsite bytes hit frag pingpong page order migtype gfp; do
		[[ ,$have == *",$key,"* ]] || printf '%s\n' "$have$key"
	done
}

_perf_kmem() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local subcommand="" i word words
	local common="-i --input -f --force -v --verbose -q --quiet --slab --page --percpu --extfrag -h --help"
	local stat="--caller --alloc --live -s --sort -l --line --raw-ip --time --kallsyms --skip-callsite --format -o --output"
	local record="-o --output --slab --page --percpu --extfrag --all -e --event --filter -g --stacks"
	record+=" --user-stacks --max-stack -a --all-cpus -C --cpu -p --pid -t --tid -G --cgroup -D --delay"
	record+=" --duration -c --count -m --mmap-pages -z --max-size --switch-output --max-files --overwrite"
	record+=" --snapshot-on --with-self --no-mount -q --quiet --"

	# --format=json arrives as three words
	[[ $cur != = ]] || cur=""
	[[ $prev != = ]] || prev=${COMP_WORDS[COMP_CWORD - 2]}

	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		case $word in
		record | stat)
			subcommand=$word
			break
			;;
		esac
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

	case $prev in
	-i | --input | -o | --output | --kallsyms)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
		;;
	-s | --sort)
		compopt -o nospace 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -W "$(_perf_kmem_keys "$cur")" -- "$cur")
		return
		;;
	--format)
		mapfile -t COMPREPLY < <(compgen -W "text json" -- "$cur")
		return
		;;
	-l | --line | --time | --skip-callsite)
		COMPREPLY=()
		return
		;;
	esac

	case $subcommand in
	record) words=$record ;;
	stat) words="$common $stat" ;;
	*) words="record stat $common $stat" ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

complete -F _perf_kmem perf-kmem
