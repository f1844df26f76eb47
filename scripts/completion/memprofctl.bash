# SPDX-License-Identifier: GPL-2.0-only
#
# bash completion for memprofctl. The words come from memprofctl itself, so they
# are always up to date. Process ids and cgroups come from the machine.

_memprofctl_cgroups()
{
	local mount
	mount=$(findmnt -n -t cgroup2 -o TARGET 2>/dev/null | head -n 1)
	[ -n "$mount" ] || return 0
	(cd "$mount" && compgen -d -S / -- "${1#/}" | sed 's,^,/,')
}

_memprofctl()
{
	local word=${COMP_WORDS[COMP_CWORD]}
	local before=${COMP_WORDS[COMP_CWORD - 1]}
	local verb=${COMP_WORDS[1]}
	local words

	if [ "$COMP_CWORD" -eq 1 ]; then
		words="$(memprofctl help --complete) --version --help"
	elif [ "$verb" = help ]; then
		words=$(memprofctl help --complete)
	elif [ "$before" = -p ] || [ "$before" = --pid ]; then
		words=$(cd /proc && compgen -G '[0-9]*')
	elif [ "$before" = -G ] || [ "$before" = --cgroup ]; then
		compopt -o nospace
		words=$(_memprofctl_cgroups "$word")
	else
		# the first line is the name of the option's value, if it has
		# one
		words=$(memprofctl help --complete -- "$verb" "$before")
		if [[ $verb = list || $verb = replay ]] && [ -z "$words" ] &&
		   [[ $word != -* ]]; then
			mapfile -t COMPREPLY < <(compgen -f -- "$word")
			return
		fi
		if [ -n "$words" ]; then
			words=$(tail -n +2 <<<"$words")
		else
			words=$(memprofctl help --complete -- "$verb")
		fi
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -F _memprofctl memprofctl
