/*
 * Passing bytes on from one descriptor to another, in the client's loop. Nothing is read while something waits to be written, so
 * a reader that stands still holds up its own stream and nothing else.
 */
#ifndef CLF_MUX_PASS_H
#define CLF_MUX_PASS_H

#include "mux-header.h"

#include <poll.h>

struct mux_pass {
	/* -1: ended */
	int from;
	/* -1: gone, or there is none; non-blocking */
	int to;
	/* `to` is ours to close when all is passed on; else its reader may want more from others */
	bool closes_to;
	/* how `to` was before */
	int to_flags;
	/* What waits to be written: first what the caller has put here, then what was read. */
	const u8 *waiting;
	size_t waiting_length;
	u8 *buffer;
	struct mux_header header;
};

#define MUX_NO_PASS ((struct mux_pass){.from = -1, .to = -1})

/* 0 or -errno. `to` becomes non-blocking, until the pass is closed. */
int mux_pass_open(struct mux_pass *pass, int from, int to);
/* Adds what it waits for; returns how many entries. */
size_t mux_pass_wait(const struct mux_pass *pass, struct pollfd *entries);
/* Moves what can be moved now. */
void mux_pass_turn(struct mux_pass *pass);
/* Nothing waits, and nothing is there to be read. */
bool mux_pass_is_idle(const struct mux_pass *pass);
/* Closes what is ours, leaves the other as it was. */
void mux_pass_close(struct mux_pass *pass);

#endif
