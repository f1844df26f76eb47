// SPDX-License-Identifier: GPL-2.0-only
/*
 * screen: draws with ncurses on a pad that is wider than the terminal
 *
 * The code that writes tables makes the lines, so they are the same as in a
 * report. A row of a stack has several lines. Drawing fails only without
 * memory, with -ENOMEM.
 */
#include "screen.h"

#include <errno.h>
#include <locale.h>
#include <curses.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/* Limit of columns that can be scrolled to. */
#define PAD_WIDTH	1024

/* Limit of rows: rows beyond it are not shown. */
#define MAX_ROWS	4096

/* Lines that are not rows: title, heading, total, last line. */
#define OTHER_LINES	4

static const char * const help[] = {
	"",
	"  1 2 3, Tab       processes, cgroups, callsites",
	"  Up Down, j k     select; PgUp PgDn Home End; Left Right scroll sideways",
	"  Enter            open: a process's callsites, a cgroup's processes,",
	"                   a callsite's stacks",
	"  Esc, Backspace   go back",
	"  t                callsites of the selected process only",
	"  d                callsites in the selected one's binary only",
	"  /                filter: a regular expression, or pid=, comm=, cgroup=,",
	"                   container=, pod=, symbol=, size>=; empty: all",
	"  < >              sort by the column to the left, to the right",
	"  v                other columns: allocations, growth and faults, RSS",
	"  z                changes since the last refresh, or since the start",
	"  f                freeze: stop refreshing",
	"  [ ]              with --history, the snapshot before, the next one",
	"  + -              longer, shorter time between two refreshes",
	"  b                exact numbers, or units",
	"  P                write the table into memprof.top.N",
	"  h ?              this help",
	"  q                end",
	NULL,
};

/* Makes Ctrl-C a key: curses would end the program after it, with an error. */
static void take_interrupt(void)
{
	struct termios terminal;

	if (tcgetattr(STDIN_FILENO, &terminal))
		return;
	terminal.c_cc[VINTR] = _POSIX_VDISABLE;
	tcsetattr(STDIN_FILENO, TCSANOW, &terminal);
	def_prog_mode();
}

bool mp_screen_open(void)
{
	setlocale(LC_ALL, "");
	/* not initscr(), which would end the program after an error */
	if (!newterm(NULL, stdout, stdin))
		return false;
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	take_interrupt();
	return true;
}

static int format_rows(const struct mp_browse *browse, char **text, size_t **at,
		       size_t *nr)
{
	struct mp_out out = browse->out;
	const struct mp_row *row;
	size_t size;

	*nr = 0;
	*at = calloc(MAX_ROWS + 2, sizeof(**at));
	out.limit = MAX_ROWS;
	out.colour = false;
	out.file = *at ? open_memstream(text, &size) : NULL;
	if (!out.file)
		return -ENOMEM;
	out.ops->begin(&out);
	for (row = mp_out_next(&out, out.profile->rows);
	     row && *nr < MAX_ROWS; row = mp_out_next(&out, row + 1)) {
		fflush(out.file);
		(*at)[(*nr)++] = size;
		out.ops->row(&out, row);
	}
	fflush(out.file);
	(*at)[*nr] = size;
	mp_table_total(&out);
	return fclose(out.file) ? -ENOMEM : 0;
}

/*
 * Writes one line of the text to the pad, cut to the pad's width. Returns the
 * next line.
 */
static const char *put_line(WINDOW *pad, int y, const char *line)
{
	const char *end = strchr(line, '\n');
	int len = (int)(end ? (size_t)(end - line) : strlen(line));

	mvwaddnstr(pad, y, 0, line, len < PAD_WIDTH - 1 ? len : PAD_WIDTH - 1);
	return end ? end + 1 : line + len;
}

static void show_line(const struct mp_browse *browse, const char *line, int y,
		      attr_t attributes)
{
	WINDOW *pad = newpad(1, PAD_WIDTH);

	if (!pad)
		return;
	wbkgd(pad, attributes);
	put_line(pad, 0, line);
	pnoutrefresh(pad, 0, browse->shift < PAD_WIDTH - COLS ?
		     browse->shift : 0, y, 0, y, COLS - 1);
	delwin(pad);
}

/* Returns the first row to show, so that the selected row is visible. */
static size_t first_shown(const struct mp_browse *browse, size_t nr, int lines)
{
	size_t page = lines > 1 ? (size_t)lines : 1;
	size_t first = browse->selected / page * page;

	return browse->out.kind == MP_ROW_STACK ? browse->selected :
	       first < nr ? first : 0;
}

/* @y: the line of the heading; @last: the line of the totals */
static void draw_rows(struct mp_browse *browse, const char *text,
		      const size_t *at, size_t nr, int y, int last)
{
	size_t i = first_shown(browse, nr, last - y - 1);
	const char *line;
	bool selected;

	show_line(browse, text, y++, A_BOLD);
	browse->page = last - y > 1 ? (size_t)(last - y) : 1;
	for (; i < nr && y < last; i++) {
		selected = i == browse->selected;
		for (line = text + at[i]; line < text + at[i + 1] && y < last;
		     y++) {
			show_line(browse, line, y, selected ? A_REVERSE : 0);
			line = strchr(line, '\n') + 1;
			selected = false;
		}
	}
	show_line(browse, text + at[nr], last, A_BOLD);
}

static void draw_help(void)
{
	int y;

	for (y = 0; help[y] && y + 2 < LINES; y++)
		mvaddnstr(y + 1, 0, help[y], COLS - 1);
}

/* Returns how many bytes of a text are its first line: it ends at a blank if there is one. */
static int first_line(const char *text)
{
	const int most = COLS > 1 ? COLS - 1 : 1;
	int len = (int)strlen(text), i;

	if (len <= most)
		return len;
	for (i = most; i && text[i] != ' '; i--)
		;
	return i ? i : most;
}

/* A sentence that is wider than the screen has several lines. @most: limit; at least 1 */
static int count_lines(const char *text, int most)
{
	int nr = 0;

	do {
		text += first_line(text);
		text += strspn(text, " ");
		nr++;
	} while (*text && nr < most);
	return nr;
}

/* @y: the first of @nr lines */
static void draw_lines(const char *text, int y, int nr)
{
	int i, len;

	for (i = 0; i < nr; i++) {
		len = first_line(text);
		mvaddnstr(y + i, 0, text, len);
		text += len;
		text += strspn(text, " ");
	}
}

/* Draws what is below the totals, and returns the number of its lines. */
static int draw_last_lines(const struct mp_browse *browse, const char *note, int most)
{
	int nr = 1;

	if (browse->typing)
		mvprintw(LINES - 1, 0, "filter: %.*s_ %s", COLS - 12,
			 browse->typed, browse->why);
	else if (browse->help)
		mvaddnstr(LINES - 1, 0, "any key goes back", COLS - 1);
	else if (note)
		nr = count_lines(note, most);
	else
		mvaddnstr(LINES - 1, 0,
			  "q quit  h help  Enter in  Esc back  / filter  <> sort  v columns  z since last  f freeze",
			  COLS - 1);
	if (note && !browse->typing && !browse->help)
		draw_lines(note, LINES - nr, nr);
	return nr;
}

int mp_screen_draw(struct mp_browse *browse, const char *title, const char *headline,
		   const char *note)
{
	char *text = NULL;
	size_t *at = NULL, nr = 0;
	int first = 1, last, err = format_rows(browse, &text, &at, &nr);

	erase();
	if (!err && LINES > OTHER_LINES) {
		attron(A_REVERSE);
		mvprintw(0, 0, "%-*.*s", COLS, COLS, title);
		attroff(A_REVERSE);
		if (browse->help)
			draw_help();
		last = LINES - 1 - draw_last_lines(browse, note, headline ? 1 : LINES / 3);
		if (headline && !browse->help) {
			first += count_lines(headline, LINES / 3);
			draw_lines(headline, 1, first - 1);
		}
		wnoutrefresh(stdscr);
		if (!browse->help)
			draw_rows(browse, text, at, nr, first, last);
		doupdate();
	}
	free(text);
	free(at);
	return err;
}

/*
 * Returns true if the terminal was closed. Then, if SIGHUP is ignored, getch()
 * always returns at once.
 */
static bool is_closed(void)
{
	struct pollfd in = { .fd = STDIN_FILENO };

	return poll(&in, 1, 0) > 0 &&
	       in.revents & (POLLHUP | POLLERR | POLLNVAL);
}

/* The key has no name in curses. */
#define CTRL_C	3

int mp_screen_key(int timeout_ms)
{
	static const struct {
		int code, key;
	} keys[] = {
		{ KEY_UP, MP_KEY_UP }, { KEY_DOWN, MP_KEY_DOWN },
		{ KEY_PPAGE, MP_KEY_PAGE_UP }, { KEY_NPAGE, MP_KEY_PAGE_DOWN },
		{ KEY_HOME, MP_KEY_HOME }, { KEY_END, MP_KEY_END },
		{ KEY_LEFT, MP_KEY_LEFT }, { KEY_RIGHT, MP_KEY_RIGHT },
		{ KEY_ENTER, MP_KEY_ENTER }, { '\r', MP_KEY_ENTER },
		{ '\n', MP_KEY_ENTER }, { KEY_BACKSPACE, MP_KEY_BACKSPACE },
		{ 127, MP_KEY_BACKSPACE }, { '\b', MP_KEY_BACKSPACE },
	};
	size_t i;
	int code;

	timeout(timeout_ms);
	code = getch();
	if (code == CTRL_C)
		return MP_KEY_GONE;
	if (code == ERR)
		return is_closed() ? MP_KEY_GONE : MP_KEY_NONE;
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].code == code)
			return keys[i].key;
	/* ignore other special keys: their codes can be equal to values of enum mp_key */
	return code < KEY_CODE_YES ? code : MP_KEY_NONE;
}

void mp_screen_close(void)
{
	endwin();
}
