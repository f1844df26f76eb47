// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * out-path.c: builds the name of a region file. It allocates nothing and takes
 * no lock, because a forked child calls it inside malloc.
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

/* The name of a host must not lead into another folder. */
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

/* %p, %h, %% */
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
 * Builds the file name of the given @attempt. If a file of that name exists (an
 * exec keeps the pid, a fork keeps the pattern), numbers are appended. If the
 * pattern has no %p, the pid is appended first. Return: whether the name fits.
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
 * The default pattern, read once at start. A program that runs with more
 * privileges than its caller has no LD_PRELOAD from the caller, so its
 * environment is its own.
 */
bool mp_out_path_default(char *pattern)
{
	struct text text = { .list = pattern };
	const char *dir = mp_environment_value("XDG_RUNTIME_DIR");

	if (!dir || *dir != '/' || strchr(dir, '%') ||
	    mp_own_access(dir, W_OK | X_OK))
		dir = "/tmp";
	append_text(&text, dir);
	append_text(&text, "/memprof.%p");
	return !text.cut;
}

/*
 * Stores the pattern as an absolute path: the host may change its working
 * directory. "" stays "".
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
	/* a truncated name is another file's name: it cannot be created */
	if (text.cut)
		strcpy(kept, "/");
}
