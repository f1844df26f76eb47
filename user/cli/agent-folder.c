// SPDX-License-Identifier: GPL-2.0-only
/*
 * agent-folder: a symbolic link in the folder of the collector's socket
 */
#include "agent-folder.h"
#include "control.h"
#include "history.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINK	"history"

void mp_agent_folder_tell(const char *folder)
{
	char path[PATH_MAX + sizeof(LINK)], draft[PATH_MAX + sizeof(LINK) + 4];
	struct mp_control control;

	if (mp_control_init(&control))
		return;
	snprintf(path, sizeof(path), "%s/" LINK, control.dir);
	snprintf(draft, sizeof(draft), "%s.new", path);
	unlink(draft);
	if (symlink(folder, draft) || rename(draft, path))
		unlink(draft);
}

/* Others could lead us to a folder of theirs. */
static bool is_trusted(const char *dir)
{
	struct stat st;

	return !stat(dir, &st) && (!st.st_uid || st.st_uid == geteuid()) &&
	       !(st.st_mode & 0022);
}

/* Reads what was told into PATH_MAX bytes. */
static bool read_told(char *folder)
{
	char path[PATH_MAX + sizeof(LINK)];
	struct mp_control control;
	ssize_t length;

	if (mp_control_init(&control) || !is_trusted(control.dir))
		return false;
	snprintf(path, sizeof(path), "%s/" LINK, control.dir);
	length = readlink(path, folder, PATH_MAX - 1);
	folder[length > 0 ? length : 0] = '\0';
	return length > 0;
}

const char *mp_agent_folder(void)
{
	static char folder[PATH_MAX];

	return read_told(folder) ? folder : MP_HISTORY_FOLDER;
}

bool mp_agent_folder_is_told(void)
{
	char folder[PATH_MAX];

	return read_told(folder);
}
