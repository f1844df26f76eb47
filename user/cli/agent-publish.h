/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * agent-publish: hands the agent's numbers to Prometheus, at an address and in a file
 */
#ifndef MP_AGENT_PUBLISH_H
#define MP_AGENT_PUBLISH_H

#include "agent-config.h"
#include "agent-metrics.h"
#include "scrape.h"

/**
 * struct mp_agent_publish - where the numbers go
 * @scrape: the address, if the configuration has one
 * @troubled: the last texts could not be handed out, and that was said
 */
struct mp_agent_publish {
	struct mp_scrape scrape;
	bool troubled;
};

/**
 * mp_agent_publish_open - listen at the configuration's address
 *
 * Return: 0, or an exit status after a message.
 */
int mp_agent_publish_open(struct mp_agent_publish *publish,
			  const struct mp_agent_config *config);

/** mp_agent_publish_wanted - whether the configuration has an address or a file */
bool mp_agent_publish_wanted(const struct mp_agent_config *config);

/**
 * mp_agent_publish_now - write the texts, and hand them out
 * @health: what this function knows of itself is added
 * @profile: of the session, with stacks, which is changed; with no rows: no session
 *
 * A failure is said once, and counted.
 */
void mp_agent_publish_now(struct mp_agent_publish *publish,
			  const struct mp_agent_config *config,
			  struct mp_agent_health *health, struct mp_profile *profile);

/** mp_agent_publish_close - stop listening; the file is removed, because it would be old */
void mp_agent_publish_close(struct mp_agent_publish *publish,
			    const struct mp_agent_config *config);

#endif
