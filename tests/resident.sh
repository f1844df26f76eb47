# SPDX-License-Identifier: GPL-2.0-only
# For suites of programs/pages.c, which knows its pages: what a report has to say of it,
# whoever has seen its blocks. Sourced after lib.sh; $pid is the program.

rss_of()
{
	awk '/^Rss:/ { print $2 * 1024 }' "/proc/$1/smaps_rollup"
}

# look [-i FILE]: rows of callsites in sites, of the process in process
look()
{
	report --by callsite "$@" >"$work/sites" &&
	report --by process "$@" >"$work/process"
}

# site FUNCTION EXPRESSION
site()
{
	rows holds "$2" where type=site comm~^pages "function=$1" inuse_space!=0 <"$work/sites" && return
	rows list function inuse_space block_resident_space block_untouched_space \
		blame_space where type=site comm~^pages <"$work/sites" | note
	return 1
}

process()
{
	rows holds "$1" where type=process pid=$pid <"$work/process"
}

# A survivor lies on every second page, and keeps it
survivors_are_blamed()
{
	site survives 'inuse_space == 1024 * 112 == block_resident_space and
		1000 * 4096 <= blame_space <= 1026 * 4096 and
		1000 * 4096 <= blame_fill_5_space and
		pinned_space == blame_space - block_resident_space'
}

# The first half of 1 MB, and up to a page more: blocks begin inside of a page
halves_are_known()
{
	site halves 'inuse_space == 16 * MIB and
		near(block_resident_space, 8, 0.0625) and
		block_untouched_space == inuse_space - block_resident_space and
		near(blame_space, 8, 0.0626)'
}

given_back_is_untouched()
{
	site returns 'inuse_space == 8 * MIB and near(block_untouched_space, 3.98, 0.02) and
		block_resident_space == inuse_space - block_untouched_space'
}

lazily_freed_is_resident()
{
	site lazy 'inuse_space == block_resident_space == 4 * MIB and
		near(blame_space, 4, 0.02)'
}

each_number_is_known()
{
	survivors_are_blamed && halves_are_known && given_back_is_untouched &&
	lazily_freed_is_resident &&
	rows holds 'inuse_space == block_resident_space + block_swapped_space +
		block_untouched_space' where type=site <"$work/sites" &&
	process 'inuse_space == block_resident_space + block_swapped_space +
		block_untouched_space'
}

# BLAME of all callsites and the pages without a block are the heap, to the byte
all_adds_up()
{
	local blame
	blame=$(rows sum blame_space where type=site <"$work/sites") &&
	process "blame_space == $blame and
		allocator_space == blame_space + held_page_space and
		held_page_space == held_top_space + held_arena_space + held_empty_space and
		blame_space == blame_fill_5_space + blame_fill_10_space +
			blame_fill_25_space + blame_fill_50_space +
			blame_fill_75_space + blame_fill_100_space and
		parts == resident_space == $(rss_of $pid)"
}
