// SPDX-License-Identifier: GPL-2.0-only
/*
 * library-load: dlopen() by path, or by a memfd where the path is another file
 *
 * In another mount namespace, the path of the library leads to nothing, or to another
 * file. Then the thread makes a memfd, this process fills it through /proc, and dlopen()
 * gets its name below /proc/self/fd. Loading costs one to five milliseconds.
 */
#include "library-load.h"
#include "regular-file.h"
#include "text.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_LIBRARY	(64L << 20)
#define MEMFD_NAME	"libmemprof.so"
#define ERROR_SIZE	200

/* For glibc before 2.34: __libc_dlopen_mode() wants it from callers outside of libc. */
#define DLOPEN_FLAG	0x80000000U

/* A flag of newer kernels; without it, a setting may forbid code in the memfd. */
#define MAY_HAVE_CODE	0x10U

static bool is_visible(const char *path, pid_t pid)
{
	char seen[PATH_MAX + 32];
	struct stat here, there;

	snprintf(seen, sizeof(seen), "/proc/%d/root%s", (int)pid, path);
	return !stat(path, &here) && !stat(seen, &there) &&
	       here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

static bool read_open_file(struct mp_library_file *file, int fd)
{
	struct stat st;

	if (fstat(fd, &st) || st.st_size <= 0 || st.st_size > MAX_LIBRARY)
		return false;
	file->size = (size_t)st.st_size;
	file->data = malloc(file->size);
	return file->data && pread(fd, file->data, file->size, 0) == st.st_size;
}

static int read_file(struct mp_library_file *file)
{
	int fd = mp_regular_open(file->path, NULL);
	bool done = fd >= 0 && read_open_file(file, fd);

	if (fd >= 0)
		close(fd);
	return done ? 0 : fd < 0 ? fd : -EIO;
}

int mp_library_file_read(struct mp_library_file *file, pid_t pid, struct mp_diag *diag)
{
	int err;

	file->is_visible = is_visible(file->path, pid);
	err = file->is_visible ? 0 : read_file(file);
	return err ? mp_diag_fail(diag, err, NULL, "cannot read %s", file->path) : 0;
}

void mp_library_file_free(struct mp_library_file *file)
{
	free(file->data);
	file->data = NULL;
}

static bool put_text(struct mp_remote *remote, const char *text)
{
	return strlen(text) < MP_REMOTE_DATA_SIZE &&
	       mp_target_put(remote->target, mp_remote_data(remote), text,
			     strlen(text) + 1);
}

/* The text of dlerror(), or of what happened instead */
static void read_error(struct mp_remote *remote, uint64_t at, char *to)
{
	char text[ERROR_SIZE / 2] = "no reason";
	size_t i;

	for (i = 0; at && i < sizeof(text) - 1; i++)
		if (!mp_target_get(remote->target, at + i, &text[i], 1) || !text[i])
			break;
	text[at ? i : strlen(text)] = '\0';
	mp_text_escape(to, ERROR_SIZE, text, strlen(text));
}

/* Returns 0 with a handle, or an errno; -ENOENT: dlopen() failed, with @error. */
static int call_dlopen(struct mp_remote *remote, const char *path, uint64_t *handle,
		       char *error)
{
	struct mp_machine_request request = {
		.function = mp_target_function(remote->target, MP_WANTED_DLOPEN),
		.args = { mp_remote_data(remote), RTLD_NOW },
		.dlerror = mp_target_function(remote->target, MP_WANTED_DLERROR),
	};
	int err;

	if (!request.function) {
		request.function = mp_target_function(remote->target,
						      MP_WANTED_OLD_DLOPEN);
		request.args[1] |= DLOPEN_FLAG;
	}
	if (!put_text(remote, path))
		return -ENAMETOOLONG;
	err = mp_remote_call(remote, &request);
	if (err)
		return err;
	*handle = request.result;
	if (!*handle)
		read_error(remote, request.error, error);
	return *handle ? 0 : -ENOENT;
}

static long make_memfd(struct mp_remote *remote)
{
	struct mp_machine_system_call call = {
		SYS_memfd_create, { mp_remote_data(remote), MFD_CLOEXEC | MAY_HAVE_CODE },
	};
	long fd;

	if (!put_text(remote, MEMFD_NAME))
		return -EFAULT;
	fd = mp_remote_system_call(remote, &call);
	if (fd != -EINVAL)
		return fd;
	call.args[1] = MFD_CLOEXEC;
	return mp_remote_system_call(remote, &call);
}

static int fill_memfd(const struct mp_remote *remote, long fd,
		      struct mp_library_file *file)
{
	char path[64];
	int to, err = file->data ? 0 : read_file(file);

	if (err)
		return err;
	snprintf(path, sizeof(path), "/proc/%d/fd/%ld", (int)remote->target->pid, fd);
	to = open(path, O_WRONLY | O_CLOEXEC);
	if (to < 0)
		return -errno;
	if (pwrite(to, file->data, file->size, 0) != (ssize_t)file->size)
		err = -EIO;
	close(to);
	return err;
}

/*
 * dlopen() takes a path that it has seen for the same library, and another program may
 * have loaded something by this number. So the path is written in a way of its own.
 */
static int load_memfd(struct mp_remote *remote, struct mp_library_file *file,
		      char *loaded, uint64_t *handle, char *error)
{
	long fd = make_memfd(remote);
	struct mp_machine_system_call close_fd = { SYS_close, { (uint64_t)fd } };
	int err;

	if (fd < 0) {
		snprintf(error, ERROR_SIZE, "memfd: %s", strerror((int)-fd));
		return fd == -ESRCH ? -ESRCH : -ENOENT;
	}
	snprintf(loaded, sizeof(((struct mp_injection *)NULL)->loaded),
		 "/proc/self/./fd/././%ld", fd);
	err = fill_memfd(remote, fd, file);
	if (err)
		snprintf(error, ERROR_SIZE, "memfd: %s", strerror(-err));
	err = err ? -ENOENT : call_dlopen(remote, loaded, handle, error);
	if (!remote->thread->is_gone)
		mp_remote_system_call(remote, &close_fd);
	return err;
}

static int call_dlsym(struct mp_remote *remote, uint64_t handle, uint64_t *attach)
{
	struct mp_machine_request request = {
		.function = mp_target_function(remote->target, MP_WANTED_DLSYM),
		.args = { handle, mp_remote_data(remote) },
		.dlerror = mp_target_function(remote->target, MP_WANTED_DLERROR),
	};
	int err;

	if (!request.function || !put_text(remote, "memprof_attach"))
		return mp_diag_fail(remote->diag, 0, "LD_PRELOAD works",
				    "the C library of process %d has no dlsym",
				    (int)remote->target->pid);
	err = mp_remote_call(remote, &request);
	if (!err && !request.result)
		err = mp_diag_fail(remote->diag, 0, "it is of another version",
				   "the library has no memprof_attach");
	*attach = request.result;
	return err;
}

int mp_library_load(struct mp_remote *remote, struct mp_library_file *file,
		    char *loaded, uint64_t *attach)
{
	char error[ERROR_SIZE] = "";
	uint64_t handle = 0;
	int err = -ENOENT;

	if (file->is_visible) {
		snprintf(loaded, sizeof(((struct mp_injection *)NULL)->loaded), "%s",
			 file->path);
		err = call_dlopen(remote, file->path, &handle, error);
	}
	if (err == -ENOENT)
		err = load_memfd(remote, file, loaded, &handle, error);
	if (err == -ENOENT)
		return mp_diag_fail(remote->diag, 0, "LD_PRELOAD may work",
				    "process %d cannot load the library: %s",
				    (int)remote->target->pid, error);
	return err ?: call_dlsym(remote, handle, attach);
}

int mp_library_attach(struct mp_remote *remote, uint64_t attach,
		      struct memprof_attachment *attachment)
{
	uint64_t at = mp_remote_data(remote);
	struct mp_machine_request request = { .function = attach, .args = { at } };

	if (!mp_target_put(remote->target, at, attachment, sizeof(*attachment)) ||
	    mp_remote_call(remote, &request) ||
	    !mp_target_get(remote->target, at, attachment, sizeof(*attachment)))
		return -EIO;
	/* an int: the upper half of the register is not defined */
	return (int)request.result;
}

int mp_library_detach(struct mp_remote *remote, uint64_t detach)
{
	struct mp_machine_request request = { .function = detach };

	return mp_remote_call(remote, &request) ? -EIO : (int)request.result;
}
