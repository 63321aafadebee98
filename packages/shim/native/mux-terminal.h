/*
 * The client's own terminal: raw while the session has one, and its size.
 *
 * Hazard: the master reads the terminal's modes when it handles the request and gives them to the host. A terminal that is raw by
 * then makes the host's raw as well: no echo, no Ctrl-C. So it becomes raw when the session is open, not before.
 */
#ifndef CLF_MUX_TERMINAL_H
#define CLF_MUX_TERMINAL_H

#include "mux-link.h"

#include <termios.h>

struct mux_terminal {
	bool is_there;
	bool is_raw;
	struct termios modes;
	/* who is told of another size; -1: unknown */
	int master_pidfd;
	/* the size changed before the master could be told */
	bool size_due;
};

/* Whether descriptor 0 is one. */
void mux_terminal_open(struct mux_terminal *terminal);
/* The master has named itself; it is believed if it is the process that listens. */
void mux_terminal_know_master(struct mux_terminal *terminal, const struct mux_link *link, u32 pid);
void mux_terminal_make_raw(struct mux_terminal *terminal);
/* As it was before. */
void mux_terminal_restore(struct mux_terminal *terminal);
void mux_terminal_tell_size(struct mux_terminal *terminal);

#endif
