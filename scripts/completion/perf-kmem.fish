# SPDX-License-Identifier: GPL-2.0-or-later
#
# Fish completion.  The program knows its words (builtin/complete.h).  `make install` replaces
# perf-kmem by perf for the program of that name.

function __complete_perf-kmem
    set -l words (commandline -opc)
    set -l cur (commandline -ct)
    set -l reply ($words[1] --complete $words[2..-1] "$cur" 2>/dev/null)
    switch "$reply[1]"
        case ':files'
            __fish_complete_path (string replace -r '^--[^=]*=' '' -- "$cur")
        case ':command *'
            set -l from (math (string replace ':command ' '' -- $reply[1]) + 2)
            complete -C (string join ' ' -- $words[$from..-1] "$cur")
        case ':list'
            string join \n -- $reply[2..-1]
        case '*'
            string join \n -- $reply
    end
end

complete -c perf-kmem -f -a '(__complete_perf-kmem)'
