# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Bash completion for perf, where it is this program: its commands, and the options that each of
# them lists (--list-options).  `perf kmem` is completed as perf-kmem is.

_perf() {
	local program=$1 cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local command=${COMP_WORDS[1]} words

	if ((COMP_CWORD > 1)) && [[ $command == kmem ]]; then
		# shellcheck source=/dev/null
		declare -F _perf_kmem >/dev/null || . "${BASH_SOURCE[0]%/*}/perf-kmem" 2>/dev/null || return
		COMP_WORDS=("${COMP_WORDS[@]:1}")
		COMP_CWORD=$((COMP_CWORD - 1))
		_perf_kmem "perf-kmem"
		return
	fi
	if ((COMP_CWORD == 1)) || [[ $command == help ]]; then
		words=$("$program" help | sed -n 's/^    \([a-z][a-z-]*\)  *.*/\1/p')
	elif [[ $prev == --vmlinux || $prev == -i || $prev == --input || $prev == -o || $prev == --output || $prev == --kallsyms ]]; then
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
	else
		words=$("$program" "$command" --list-options 2>/dev/null | grep -- '^-')
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

complete -F _perf perf
