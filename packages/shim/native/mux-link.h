/*
 * One connection to a master's control socket: connecting, asking, and the packets that come back.
 *
 * Hazard: from a request for a session until its three descriptors have come, the master waits for nothing else, without a limit.
 * So all of it goes out in one sendmmsg that never waits; if the kernel does not take everything at once, the connection is
 * closed, and the master is free again.
 */
#ifndef CLF_MUX_LINK_H
#define CLF_MUX_LINK_H

#include "mux-packet.h"

struct mux_link {
	/* -1: closed */
	int fd;
	u8 *in;
	size_t length, done;
};

struct mux_request {
	const char *command;
	/* NULL: no terminal. Else the session gets one, and the master is asked for its pid */
	const char *terminal_type;
	/* handed over */
	int fds[3];
};

#define MUX_NO_LINK ((struct mux_link){.fd = -1})
/* Ids of our requests: one of each kind per connection. */
#define SESSION_REQUEST_ID 1u
#define ALIVE_REQUEST_ID 2u

/* 0 or -errno; -EAGAIN: too many wait before us, and a later try may succeed. */
int mux_connect(struct mux_link *link, const char *path);
/* 0 or -errno; then the link is closed, and nothing was asked for. */
int mux_ask_session(struct mux_link *link, const struct mux_request *request);
int mux_ask_alive(struct mux_link *link);
/* Reads what is there. 0: more may come, 1: that was all, -errno. */
int mux_receive(struct mux_link *link);
/* FRAME_WHOLE: the packet lives until the next call of mux_receive. */
enum frame_state mux_next(struct mux_link *link, struct mux_packet *packet);
/* The process that listens, or -errno. */
pid_t mux_peer(const struct mux_link *link);
void mux_close(struct mux_link *link);

#endif
