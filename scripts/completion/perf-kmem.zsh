#compdef perf-kmem
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Zsh completion.  The program knows its words (builtin/complete.h).  `make install` replaces
# perf-kmem by perf for the program of that name.

_perf_kmem() {
	local -a reply
	local from
	reply=("${(@f)$("${words[1]}" --complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
	case ${reply[1]} in
	:files)
		compset -P '--*='
		_files
		;;
	:command*)
		from=$((${reply[1]#* } + 2))
		words=("${(@)words[from,-1]}")
		CURRENT=$((CURRENT - from + 1))
		_normal
		;;
	:list) compadd -S '' -- "${(@)reply[2,-1]}" ;;
	*) compadd -- "${(@)reply}" ;;
	esac
}

_perf_kmem "$@"
