# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Bash completion for perf-kmem.  Subcommands and options are those that the program lists
# (--list-options), and most values are those in its --help.

# The values that --help of a subcommand lists for an option: after "of:", or in parentheses.
_perf_kmem_values() {
	"$1" "$2" --help 2>/dev/null | awk -v option="$3" '
		/^    (-.,|    --)/ || !/^    / { own = $1 == option || $2 == option }
		own { text = text " " $0 }
		END {
			if (!match(text, /( of:|\()[^)]*/))
				exit
			text = substr(text, RSTART, RLENGTH)
			sub(/^( of:|\()/, "", text)
			keys = sub(/,? (and|or) (the|any) keys? of +--by.*/, "", text)
			gsub(/,/, " ", text)
			print text
			exit !keys
		}' && _perf_kmem_values "$1" stat --by
}

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
	--by | -s | --sort | --fields)
		[[ $prev != -s && $prev != --fields ]] || prev=--sort
		words=$(_perf_kmem_list "$cur" "$(_perf_kmem_values "$program" "$subcommand" "$prev")")
		;;
	--weight) words="bytes hit live" ;;
	--format | --input-format) words=$(_perf_kmem_values "$program" "$subcommand" "$prev") ;;
	--style) words="default stock" ;;
	--switch-output) words=signal ;;
	-l | --line | --time | --skip-callsite | --skip-usr | --max-stack | --comm | --pid | --tid | --cpu | --node | --cache | \
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
