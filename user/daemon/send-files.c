// SPDX-License-Identifier: GPL-2.0-only
/*
 * send-files: sends descriptors as ancillary data (SCM_RIGHTS)
 */
#include "send-files.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

int mp_send_files(int socket, const void *data, size_t size, const int *files, size_t nr)
{
	char space[CMSG_SPACE(MP_SEND_MAX_FILES * sizeof(int))] = { 0 };
	struct iovec packet = { .iov_base = (void *)data, .iov_len = size };
	struct msghdr message = {
		.msg_iov = &packet, .msg_iovlen = 1,
		.msg_control = space, .msg_controllen = CMSG_SPACE(nr * sizeof(int)),
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	if (nr > MP_SEND_MAX_FILES)
		return -E2BIG;
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(nr * sizeof(int));
	memcpy(CMSG_DATA(header), files, nr * sizeof(int));
	return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}
