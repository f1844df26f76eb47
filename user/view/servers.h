/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * servers: programs that keep what they are sent
 */
#ifndef MP_SERVERS_H
#define MP_SERVERS_H

/**
 * mp_server_tool - what shows the data of a server, such as keys of a database
 * @command: name of the process
 *
 * Return: a sentence in which PID is the id of the process, and PORT the number of the port at
 * which it listens; NULL: it is no such server.
 */
const char *mp_server_tool(const char *command);

#endif
