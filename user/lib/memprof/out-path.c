// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Allocates nothing and takes no lock: a forked child calls it inside malloc.
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

static void add(struct text *text, const char *s)
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

static void add_number(struct text *text, unsigned long n)
{
	char digits[24], *p = digits + sizeof(digits) - 1;

	*p = 0;
	do {
		*--p = '0' + n % 10;
		n /= 10;
	} while (n);
	add(text, p);
}

/* A node's name may not lead into another folder. */
static void add_host(struct text *text)
{
	struct utsname name;
	char *p;

	if (mp_own_uname(&name))
		return;
	for (p = name.nodename; *p; p++)
		if (*p == '/')
			*p = '_';
	add(text, name.nodename);
}

/* %p, %h, %% */
static void expand(struct text *text, const char *pattern)
{
	char one[2] = "";

	for (; *pattern; pattern++) {
		one[0] = *pattern;
		if (*pattern != '%') {
			add(text, one);
			continue;
		}
		switch (*++pattern) {
		case 'p':
			add_number(text, mp_own_getpid());
			break;
		case 'h':
			add_host(text);
			break;
		case '%':
			add(text, "%");
			break;
		default:
			add(text, "%");
			pattern--;
		}
	}
}

/*
 * The file's name at the @attempt-th try. Where the name is taken (an exec keeps
 * the pid, a fork keeps the pattern) numbers are added; where the pattern has no
 * %p, the pid at first. Return: whether it fits.
 */
bool mp_out_path(char *path, const char *pattern, int attempt)
{
	struct text text = { .list = path };

	expand(&text, pattern);
	if (attempt && !strstr(pattern, "%p")) {
		add(&text, ".");
		add_number(&text, mp_own_getpid());
		attempt--;
	}
	if (attempt) {
		add(&text, ".");
		add_number(&text, attempt);
	}
	return !text.cut && text.nr;
}

/* The pattern where none was given; asked for once, at start. A program that runs
 * with more rights than its caller has no LD_PRELOAD from the caller, so its
 * environment is its own.
 */
bool mp_out_path_default(char *pattern)
{
	struct text text = { .list = pattern };
	const char *dir = mp_environment_value("XDG_RUNTIME_DIR");

	if (!dir || *dir != '/' || strchr(dir, '%') ||
	    mp_own_access(dir, W_OK | X_OK))
		dir = "/tmp";
	add(&text, dir);
	add(&text, "/memprof.%p");
	return !text.cut;
}

/* The pattern as it has to be kept: the host may change its folder. "" stays "". */
void mp_out_path_keep(char *kept, const char *pattern)
{
	struct text text = { .list = kept };
	char cwd[MP_OUT_PATH_SIZE], one[2] = "", *p;

	*kept = 0;
	if (*pattern && *pattern != '/' && mp_own_getcwd(cwd, sizeof(cwd))) {
		for (p = cwd; *p; p++) {
			one[0] = *p;
			add(&text, *p == '%' ? "%%" : one);
		}
		add(&text, "/");
	}
	add(&text, pattern);
	/* a name that is cut is another's: it cannot be made */
	if (text.cut)
		strcpy(kept, "/");
}
