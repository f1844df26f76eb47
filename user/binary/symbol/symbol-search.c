// SPDX-License-Identifier: GPL-2.0-only
/*
 * symbol-search: searches symbol tables first, then DWARF
 *
 * The file is untrusted, so the search runs in a child (isolate.h). The child
 * does not free its memory before it exits. It can use 30 s of CPU time. It can
 * use 16 GB of address space, because the debug files of browsers have several
 * GB, but only 2 GiB of memory besides the files. The size of compressed
 * sections is checked before libdw decompresses them (packed-size.h). If they
 * are too large, there are only symbols and no lines. If the child fails, there
 * are no symbols.
 */
#include "symbol-search.h"
#include "isolate.h"
#include "debug-file.h"
#include "packed-size.h"
#include "inlines.h"
#include "layout.h"
#include "demangle.h"
#include "symbol-table.h"
#include "text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEARCH_SECONDS	30
#define SEARCH_MS	45000
#define SEARCH_BYTES	(16UL << 30)
#define SEARCH_DATA	(2UL << 30)

/*
 * Limits of an answer, in total and per address, so that a faulty child cannot
 * fill our memory. An address in C++ takes 300 bytes on average.
 */
#define ANSWER_BYTES	(1UL << 20)
#define SPOT_BYTES	4096

/* State of the search in the child. */
struct found {
	const struct mp_symbol_search *search;
	struct mp_elf elf;
	uint64_t *addresses;
	struct mp_cover *covers;
	struct mp_inlines inlines;
	struct mp_symbol_answer answer;
	struct mp_debug_tried tried;
};

/*
 * Computes the address of each offset. The addresses must be ascending, like
 * the offsets. If an offset is not in code, or its address is lower than the
 * previous address, it gets the previous address, or 0 if there is none. Then
 * no symbol is searched for the offset.
 */
static void set_addresses(struct found *found)
{
	const struct mp_symbol_search *search = found->search;
	uint64_t address, before = 0;
	size_t i;

	for (i = 0; i < search->nr; i++, before = address) {
		/*
		 * a call can be the last instruction, so look up the byte
		 * before the return address
		 */
		address = search->is_debug_file ?
			  mp_layout_address(&found->elf,
					    search->offsets[i] - 1) :
			  mp_elf_address(&found->elf, search->offsets[i] - 1);
		if (address < before || !search->offsets[i])
			address = before;
		found->addresses[i] = address;
	}
}

static bool is_located(const struct found *found, size_t i)
{
	return found->addresses[i] &&
	       (!i || found->addresses[i] != found->addresses[i - 1]);
}

/*
 * Removes the version of a dynamic symbol. If @plain, also removes a compiler's
 * suffix of a mangled name (.cold, .constprop.0).
 */
static uint32_t symbol_name(struct found *found, const char *name, bool plain,
			    bool *is_mangled)
{
	char text[MP_SYMBOL_TEXT_SIZE], begin[MP_SYMBOL_TEXT_SIZE];
	const char *ends = plain && !strncmp(name, "_Z", 2) ? ".@" : "@";
	size_t len = strcspn(name, ends);

	if (name[len] && len < sizeof(begin)) {
		memcpy(begin, name, len);
		begin[len] = '\0';
		name = begin;
	}
	mp_demangle(text, sizeof(text), name);
	*is_mangled = strcmp(text, name);
	return mp_names_add(&found->answer.symbols.names, text);
}

/*
 * Chooses between the name from DWARF (@die) and the name from the symbol table
 * (@cover). For split parts and clones of a function, DWARF has the name of the
 * original function. The symbol table has the alias that is meant for users,
 * and the complete names of functions without a linkage name in DWARF.
 */
static uint32_t choose_name(struct found *found, const struct mp_cover *cover,
			    struct mp_die_name die)
{
	const char *text = mp_symbols_text(&found->answer.symbols, die.text);
	bool is_mangled;
	uint32_t symbol;

	if (!cover->name || (text && die.is_linkage))
		return die.text;
	symbol = symbol_name(found, cover->name, text, &is_mangled);
	if (text && !is_mangled && !mp_symbol_is_plainer(cover->name, text))
		return die.text;
	return symbol;
}

static void add_outermost(struct found *found, size_t i, struct mp_line *line,
			  struct mp_die_name die)
{
	const struct mp_cover *cover = &found->covers[i];
	uint64_t start = cover->name ? cover->start :
			 found->inlines.codes[i].start;

	line->function = choose_name(found, cover, die);
	/* the distance of the return address, one byte after the address looked up */
	line->distance = start ? found->addresses[i] + 1 - start : 0;
	if (line->function != MP_NAMES_NONE || line->file != MP_NAMES_NONE)
		mp_symbols_add(&found->answer.symbols, line);
}

static void add_run(struct found *found, size_t i)
{
	const struct mp_code *code = &found->inlines.codes[i];
	struct mp_symbols *symbols = &found->answer.symbols;
	struct mp_spot *spot = &found->answer.spots[i];
	struct mp_die_name none = { .text = MP_NAMES_NONE };
	struct mp_line line = { .file = code->file, .line = code->line };
	const struct mp_inline *frame = NULL;
	uint32_t at;

	spot->first = (uint32_t)symbols->nr_lines;
	for (at = code->inner; at != MP_FRAME_NONE; at = frame->outer) {
		frame = &found->inlines.frames[at];
		if (frame->outer == MP_FRAME_NONE)
			break;
		line.function = frame->name.text;
		mp_symbols_add(symbols, &line);
		line.file = frame->file;
		line.line = frame->line;
	}
	add_outermost(found, i, &line, frame ? frame->name : none);
	spot->nr = (uint32_t)(symbols->nr_lines - spot->first);
}

/* Finds the folder of the file that contains the DWARF. */
static void find_dir(Dwfl_Module *mod, char *dir)
{
	const char *main_file, *debug_file, *file, *slash;

	dwfl_module_info(mod, NULL, NULL, NULL, NULL, NULL, &main_file,
			 &debug_file);
	file = debug_file ? debug_file : main_file;
	slash = file ? strrchr(file, '/') : NULL;
	snprintf(dir, PATH_MAX, "%.*s", slash ? (int)(slash - file) : 1,
		 slash ? file : ".");
}

/* DWARF's addresses can differ from the file's by a constant. */
static void search_dwarf(struct found *found)
{
	struct mp_inlines *inlines = &found->inlines;
	uint64_t *addresses = calloc(inlines->nr, sizeof(*addresses));
	char dir[PATH_MAX];
	Dwarf_Addr bias = 0;
	Dwarf *dwarf = NULL;
	size_t i;

	if (!addresses)
		return;
	if (!mp_packed_is_bounded(found->elf.elf))
		found->tried.is_too_large = true;
	else
		dwarf = dwfl_module_getdwarf(found->elf.mod, &bias);
	if (dwarf && !mp_debug_file_alternate(found->elf.mod, dwarf))
		dwarf = NULL;
	for (i = 0; i < inlines->nr; i++)
		addresses[i] = found->addresses[i] ? found->addresses[i] +
			       found->elf.bias - bias : 0;
	inlines->addresses = addresses;
	find_dir(found->elf.mod, dir);
	inlines->dir = dir;
	mp_inlines_find(inlines, dwarf);
	for (i = 0; i < inlines->nr; i++)
		inlines->codes[i].start -= inlines->codes[i].start ?
					   found->elf.bias - bias : 0;
}

static bool allocate_arrays(struct found *found)
{
	size_t nr = found->search->nr, i;

	found->addresses = calloc(nr, sizeof(*found->addresses));
	found->covers = calloc(nr, sizeof(*found->covers));
	found->inlines.codes = calloc(nr, sizeof(*found->inlines.codes));
	found->inlines.nr = nr;
	found->inlines.functions.names = &found->answer.symbols.names;
	found->answer.spots = calloc(nr, sizeof(*found->answer.spots));
	if (!found->addresses || !found->covers || !found->inlines.codes ||
	    !found->answer.spots)
		return false;
	found->answer.nr = nr;
	for (i = 0; i < nr; i++)
		found->answer.spots[i].offset = found->search->offsets[i];
	return true;
}

/* Adds the tried paths to the watched ones, except paths that are not printable. */
static void watch_tried(struct mp_symbol_answer *answer, const struct mp_debug_tried *tried)
{
	unsigned int i;

	for (i = 0; i < tried->nr; i++)
		if (strlen(tried->paths[i]) < MP_ANSWER_PATH_SIZE &&
		    mp_text_is_printable(tried->paths[i],
					 MP_ANSWER_PATH_SIZE))
			mp_names_add(&answer->watched, tried->paths[i]);
}

static size_t answer_max(size_t nr)
{
	return nr < (MP_ANSWER_MAX - ANSWER_BYTES) / SPOT_BYTES ?
	       ANSWER_BYTES + nr * SPOT_BYTES : MP_ANSWER_MAX;
}

static enum mp_symbol_outcome find_answer(struct found *found)
{
	const struct mp_symbol_search *search = found->search;
	void **userdata;
	size_t i;

	if (mp_elf_open(&found->elf, search->fd, search->path) ||
	    !mp_elf_is_build(&found->elf, search->binary->build_id,
			     search->binary->build_id_size) ||
	    !allocate_arrays(found))
		return MP_SYMBOL_OTHER;
	dwfl_module_info(found->elf.mod, &userdata, NULL, NULL, NULL, NULL,
			 NULL, NULL);
	*userdata = &found->tried;
	set_addresses(found);
	mp_symbol_table_cover(&found->elf, found->addresses, found->covers,
			      search->nr);
	search_dwarf(found);
	for (i = 0; i < search->nr; i++)
		if (is_located(found, i))
			add_run(found, i);
	watch_tried(&found->answer, &found->tried);
	return found->tried.is_too_large ? MP_SYMBOL_PART : MP_SYMBOL_DONE;
}

/* Sends the outcome in 8 bytes, so that the answer after it is aligned to 8. */
static bool send_answer(void *context, FILE *to)
{
	struct found found = { .search = context };
	uint64_t outcome = find_answer(&found);
	bool done = fwrite(&outcome, sizeof(outcome), 1, to) == 1 &&
		    (outcome == MP_SYMBOL_OTHER ||
		     mp_symbol_answer_write(&found.answer, to));

	if (found.elf.dwfl)
		mp_elf_close(&found.elf);
	return done;
}

/* An answer whose offsets differ from those of the search is invalid. */
static bool is_answer(const struct mp_symbol_answer *answer,
		      const struct mp_symbol_search *search)
{
	size_t i;

	if (answer->nr != search->nr)
		return false;
	for (i = 0; i < search->nr; i++)
		if (answer->spots[i].offset != search->offsets[i])
			return false;
	return true;
}

static enum mp_symbol_outcome parse_answer(const struct mp_isolate_answer *bytes,
					   const struct mp_symbol_search *search,
					   struct mp_symbol_answer *answer)
{
	uint64_t outcome = MP_SYMBOL_FAILED;

	if (bytes->size >= sizeof(outcome))
		memcpy(&outcome, bytes->data, sizeof(outcome));
	if (outcome == MP_SYMBOL_OTHER)
		return MP_SYMBOL_OTHER;
	if ((outcome != MP_SYMBOL_DONE && outcome != MP_SYMBOL_PART) ||
	    !mp_symbol_answer_parse(answer, bytes->data + sizeof(outcome),
				    bytes->size - sizeof(outcome)))
		return MP_SYMBOL_FAILED;
	if (is_answer(answer, search))
		return (enum mp_symbol_outcome)outcome;
	mp_symbol_answer_free(answer);
	return MP_SYMBOL_FAILED;
}

enum mp_symbol_outcome
mp_symbol_search_isolated(const struct mp_symbol_search *search,
			  struct mp_symbol_answer *answer)
{
	const struct mp_isolate_stream stream = {
		.isolate = {
			.context = (void *)search,
			.fd = search->fd,
			.patience_ms = SEARCH_MS,
			.seconds = SEARCH_SECONDS,
			.bytes = SEARCH_BYTES,
			.data = SEARCH_DATA,
		},
		.send = send_answer,
		.max = answer_max(search->nr),
	};
	enum mp_symbol_outcome outcome;
	struct mp_isolate_answer bytes;
	char why[MP_ISOLATE_WHY_SIZE];

	*answer = (struct mp_symbol_answer){ 0 };
	if (!mp_isolate_stream(&stream, &bytes, why))
		return MP_SYMBOL_FAILED;
	outcome = parse_answer(&bytes, search, answer);
	free(bytes.data);
	return outcome;
}
