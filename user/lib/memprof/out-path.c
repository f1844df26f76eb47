// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * out-path.c: builds the name of a region file. The code allocates nothing and takes
 * no lock, because it may run inside malloc in a forked child.
 */
#include "out-path.h"

#include "environment.h"
#include "own-syscall.h"

#include <string.h>

struct text {
	char *list;
	size_t nr;
	bool cut;
};

static void append_text(struct text *text, const char *s)
{
	for (; *s; s++) {
		if (text->nr + 1 >= MP_OUT_PATH_SIZE) {
			text->cut = true;
			break;
		}
		text->list[text->nr++] = *s;
	}
	text->list[text->nr] = 0;
}

static void append_number(struct text *text, unsigned long n)
{
	char digits[24], *p = digits + sizeof(digits) - 1;

	*p = 0;
	do {
		*--p = '0' + n % 10;
		n /= 10;
	} while (n);
	append_text(text, p);
}

/* Appends the host's name, without slashes, which would lead into another folder. */
static void append_host(struct text *text)
{
	struct utsname name;
	char *p;

	if (mp_own_uname(&name))
		return;
	for (p = name.nodename; *p; p++)
		if (*p == '/')
			*p = '_';
	append_text(text, name.nodename);
}

/* Replaces %p by the pid, %h by the host's name, and %% by a percent sign. */
static void expand_pattern(struct text *text, const char *pattern)
{
	char one[2] = "";

	for (; *pattern; pattern++) {
		one[0] = *pattern;
		if (*pattern != '%') {
			append_text(text, one);
			continue;
		}
		switch (*++pattern) {
		case 'p':
			append_number(text, mp_own_getpid());
			break;
		case 'h':
			append_host(text);
			break;
		case '%':
			append_text(text, "%");
			break;
		default:
			append_text(text, "%");
			pattern--;
		}
	}
}

/*
 * Builds the file name for an attempt. If the file of attempt 0 exists already, later
 * attempts append numbers: a process keeps its pid after exec, and a child has the
 * pattern of its parent. If the pattern has no %p, the first appended number is the
 * pid. Returns false if the name is too long.
 */
bool mp_out_path(char *path, const char *pattern, int attempt)
{
	struct text text = { .list = path };

	expand_pattern(&text, pattern);
	if (attempt && !strstr(pattern, "%p")) {
		append_text(&text, ".");
		append_number(&text, mp_own_getpid());
		attempt--;
	}
	if (attempt) {
		append_text(&text, ".");
		append_number(&text, attempt);
	}
	return !text.cut && text.nr;
}

/*
 * Makes the default pattern from the environment, once at start. Returns false if there
 * shall be none.
 */
bool mp_out_path_default(char *pattern)
{
	struct text text = { .list = pattern };
	const char *dir = mp_environment_value("XDG_RUNTIME_DIR");

	if (mp_environment_value("MEMPROF_OUT_ONLY"))
		return false;
	if (!dir || *dir != '/' || strchr(dir, '%') ||
	    mp_own_access(dir, W_OK | X_OK))
		dir = "/tmp";
	append_text(&text, dir);
	append_text(&text, "/memprof.%p");
	return !text.cut;
}

/*
 * Stores the pattern as an absolute path: the host may change its working
 * directory. An empty pattern stays empty.
 */
void mp_out_path_keep(char *kept, const char *pattern)
{
	struct text text = { .list = kept };
	char cwd[MP_OUT_PATH_SIZE], one[2] = "", *p;

	*kept = 0;
	if (*pattern && *pattern != '/' && mp_own_getcwd(cwd, sizeof(cwd))) {
		for (p = cwd; *p; p++) {
			one[0] = *p;
			append_text(&text, *p == '%' ? "%%" : one);
		}
		append_text(&text, "/");
	}
	append_text(&text, pattern);
	/*
	 * a name that was cut could be that of another file: use a name with
	 * which no file can be created
	 */
	if (text.cut)
		strcpy(kept, "/");
}
