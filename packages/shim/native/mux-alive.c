/* See mux.h. */
#include "mux.h"

#include <errno.h>
#include <poll.h>

/* Asks on a connection of its own; the answer is the master's own word, whatever the state of its line. */
static bool wait_for_answer(struct mux_link *link, u64 until_ms, bool *is_silent)
{
	for (;;) {
		struct mux_packet packet;
		enum frame_state state;
		while ((state = mux_next(link, &packet)) == FRAME_WHOLE)
			if (packet.type == MASTER_ALIVE && packet.id == ALIVE_REQUEST_ID)
				return true;
		u64 now = monotonic_ms();
		*is_silent = state == FRAME_PARTIAL && now >= until_ms;
		if (state == FRAME_BAD || *is_silent)
			return false;
		struct pollfd entry = {.fd = link->fd, .events = POLLIN};
		if (poll(&entry, 1, sleep_cap_ms((int)(until_ms - now))) > 0 && mux_receive(link) != 0)
			return false;
	}
}

const char *mux_look_for_master(const char *path)
{
	struct mux_link link;
	bool is_silent = false, is_alive = false;
	int failed = mux_connect(&link, path);
	/* A full queue: it is not taken off by anything. */
	if (failed == -EAGAIN)
		return "master-silent";
	if (failed == 0 && mux_ask_alive(&link) == 0)
		is_alive = wait_for_answer(&link, monotonic_ms() + ALIVE_MS, &is_silent);
	mux_close(&link);
	return is_alive ? "master-alive" : is_silent ? "master-silent" : "master-lost";
}
