/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * agent-folder: where the agent keeps its history, for the commands that read it
 */
#ifndef MP_AGENT_FOLDER_H
#define MP_AGENT_FOLDER_H

#include <stdbool.h>

/**
 * mp_agent_folder_tell - leave the folder's name beside the collector's socket
 *
 * It stays after the agent's end. A failure means that other commands need --history-folder.
 */
void mp_agent_folder_tell(const char *folder);

/**
 * mp_agent_folder - folder of the agent that ran last with this MEMPROF_RUNDIR
 *
 * Return: MP_HISTORY_FOLDER if none has told its folder. Valid until the next call.
 */
const char *mp_agent_folder(void);

/** mp_agent_folder_is_told - whether an agent has told its folder */
bool mp_agent_folder_is_told(void);

#endif
