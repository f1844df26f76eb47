// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of listening: the port of this process.
 */
#include "listening.h"

#include "kselftest_harness.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Returns a socket that listens to a port that the kernel chose; -1 if it cannot. */
static int listen_at(const char *address, uint16_t *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t size = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, address, &at.sin_addr);
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, 1) ||
	    getsockname(fd, (struct sockaddr *)&at, &size))
		return -1;
	*port = ntohs(at.sin_port);
	return fd;
}

TEST(the_only_port_is_found)
{
	uint16_t port, another;
	int fd, other;

	EXPECT_EQ(0, mp_listening_port(getpid()));
	fd = listen_at("127.0.0.1", &port);
	ASSERT_LE(0, fd);
	EXPECT_EQ(port, mp_listening_port(getpid()));
	other = listen_at("0.0.0.0", &another);
	ASSERT_LE(0, other);
	EXPECT_EQ(0, mp_listening_port(getpid()));
	close(fd);
	EXPECT_EQ(another, mp_listening_port(getpid()));
	close(other);
	EXPECT_EQ(0, mp_listening_port(getpid()));
	EXPECT_EQ(0, mp_listening_port(-1));
}

/* 127.0.0.1 does not reach it. */
TEST(a_port_of_another_address_is_none)
{
	uint16_t port;
	int fd = listen_at("127.0.0.2", &port);

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, mp_listening_port(getpid()));
	close(fd);
}

TEST_HARNESS_MAIN
