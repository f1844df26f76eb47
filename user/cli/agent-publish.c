// SPDX-License-Identifier: GPL-2.0-only
/*
 * agent-publish: renders the texts at each interval, so that nobody who asks waits
 *
 * A text that cannot be made leaves the last one, whose time says how old it is.
 */
#include "agent-publish.h"
#include "clock.h"
#include "message.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int mp_agent_publish_open(struct mp_agent_publish *publish,
			  const struct mp_agent_config *config)
{
	struct mp_diag diag = { 0 };

	publish->scrape.listen = publish->scrape.control = -1;
	if (config->listen[0])
		mp_scrape_open(&publish->scrape, config->listen, config->listen_group,
			       &diag);
	return mp_message_diag(&diag, "agent");
}

bool mp_agent_publish_wanted(const struct mp_agent_config *config)
{
	return config->listen[0] || config->textfile[0];
}

static void hand_out(struct mp_agent_publish *publish, const struct mp_agent_config *config,
		     const struct mp_scrape_text *texts, struct mp_diag *diag)
{
	int err;

	if (config->listen[0]) {
		err = mp_scrape_set(&publish->scrape, texts);
		if (err)
			mp_diag_fail(diag, err, NULL, "cannot hand out numbers on %s",
				     config->listen);
	}
	if (config->textfile[0]) {
		err = mp_agent_metrics_save(config->textfile, &texts[MP_SCRAPE_PLAIN]);
		if (err)
			mp_diag_fail(diag, err, NULL, "cannot write %s", config->textfile);
	}
}

static void say_once(struct mp_agent_publish *publish, const struct mp_diag *diag)
{
	if (diag->failed && !publish->troubled)
		mp_message_diag(diag, "agent");
	if (!diag->failed && publish->troubled)
		mp_say(MP_PRIORITY_INFO, "agent", "numbers are handed out again");
	publish->troubled = diag->failed;
}

void mp_agent_publish_now(struct mp_agent_publish *publish,
			  const struct mp_agent_config *config,
			  struct mp_agent_health *health, struct mp_profile *profile)
{
	struct mp_scrape_text texts[MP_SCRAPE_NR_FORMS] = { 0 };
	const uint64_t began = mp_clock_ns();
	struct mp_diag diag = { 0 };
	int err, i;

	if (!mp_agent_publish_wanted(config))
		return;
	err = mp_agent_metrics_arrange(profile);
	for (i = 0; !err && i < MP_SCRAPE_NR_FORMS; i++)
		err = mp_agent_metrics_write(health, profile, config->top,
					     (enum mp_scrape_form)i, &texts[i]);
	if (err)
		mp_diag_fail(&diag, err, NULL, "cannot write numbers for Prometheus");
	else
		hand_out(publish, config, texts, &diag);
	health->nr_lost_texts += diag.failed;
	health->render_ns = mp_clock_ns() - began;
	say_once(publish, &diag);
	for (i = 0; i < MP_SCRAPE_NR_FORMS; i++)
		free(texts[i].data);
}

void mp_agent_publish_close(struct mp_agent_publish *publish,
			    const struct mp_agent_config *config)
{
	mp_scrape_close(&publish->scrape);
	if (config->textfile[0])
		unlink(config->textfile);
}
