/*
 * Ending what a session left on the host: a second session that runs the sweep script, whose last word is `CLF-SWEPT <found>
 * <left>`. Stages: connect (again, while the master's queue is full) → ask → its line, its end, a refusal or the limit.
 */
#ifndef CLF_MUX_SWEEP_H
#define CLF_MUX_SWEEP_H

#include "mux-link.h"

#include <poll.h>

struct mux_sweep {
	const char *path, *script;
	u64 until_ms;
	struct mux_link link;
	bool is_asked;
	/* the script's output; -1: not asked yet, or it has ended */
	int out_fd;
	u8 line[SWEPT_LINE_BYTES_MAX];
	size_t line_length;
	u64 found, left;
	bool is_told;
	/* why there is no such line; NULL: still under way */
	const char *failed;
};

void mux_sweep_begin(struct mux_sweep *sweep, const char *path, const char *script, u64 until_ms);
/* Adds what it waits for; returns how many entries. */
size_t mux_sweep_wait(const struct mux_sweep *sweep, struct pollfd *entries);
/* Moves on; true when it is over, told or failed. */
bool mux_sweep_turn(struct mux_sweep *sweep);
/* When it wants a turn without being woken. */
u64 mux_sweep_due_ms(const struct mux_sweep *sweep, u64 now);
void mux_sweep_close(struct mux_sweep *sweep);

/* `CLF-SWEPT <found> <left>` and nothing else. Pure, and fuzzed. */
bool mux_swept_parse(const u8 *line, size_t length, u64 *found, u64 *left);

#endif
