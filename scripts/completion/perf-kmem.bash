# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Bash completion.  The program knows its words (builtin/complete.h).  `make install` replaces
# perf-kmem by perf for the program of that name.

_perf_kmem() {
	local line=${COMP_LINE:0:COMP_POINT} part=${COMP_WORDS[COMP_CWORD]} words reply cur
	read -ra words <<<"$line"
	[[ $line != *[[:space:]] ]] || words+=("")
	mapfile -t reply < <("${words[0]}" --complete "${words[@]:1}" 2>/dev/null)
	cur=${words[-1]}
	case ${reply[0]-} in
	:files)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "${cur#--*=}")
		return
		;;
	:command*)
		COMPREPLY=()
		if declare -F _command_offset >/dev/null; then
			_command_offset $((${reply[0]#* } + 1))
		else
			mapfile -t COMPREPLY < <(compgen -c -- "$cur")
		fi
		return
		;;
	:list)
		compopt -o nospace 2>/dev/null
		reply=("${reply[@]:1}")
		;;
	esac
	# bash splits words at = and :, and replaces only the last part
	[[ $part != [=:] ]] || part=
	COMPREPLY=("${reply[@]#"${cur%"$part"}"}")
}

complete -F _perf_kmem perf-kmem
