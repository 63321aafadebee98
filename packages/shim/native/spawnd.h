/*
 * spawnd, the process that forks shims. See spawnd.c; its parts:
 *   spawnd.c  requests and the loop     relay.c  what shims say → the gateway     orphans.c  after a killed shim
 */
#ifndef CLF_SPAWND_H
#define CLF_SPAWND_H

#include "peer.h"
#include "tree.h"

struct run {
	pid_t shim;
	u32 handle;
	/* -1: it has said all it had to say */
	int link;
	/* it was told how the run ended, or that it never began */
	bool told_end;
	/* reaped */
	bool gone;
	int status;
	/* a doorbell that waits until the gateway takes anything at all; the newest one */
	bool doorbell_due;
	u8 doorbell[20];
	/* the beginning of a frame */
	u8 *in;
	size_t in_length;
};

struct spawnd {
	struct host host;
	int epoll_fd;
	int signal_fd;
	struct peer mux;
	bool mux_writable_watched;
	u8 *in;
	size_t in_length;
	size_t in_capacity;
	struct run **runs;
	size_t run_count;
	size_t run_capacity;
	/* shims that are reaped and whose last words or orphans are not dealt with */
	size_t gone_count;
	/* shims are not read from: the gateway does not take what they said so far */
	bool throttled;
	bool doorbells_due;
};

int spawnd_main(int mux_fd);

/* relay.c */
int watch_fd(struct spawnd *spawnd, int fd, u32 events, void *mark);
void unwatch_and_close(struct spawnd *spawnd, int *fd);
/* Passes on what a shim says. False when there is nothing more for now. */
bool relay(struct spawnd *spawnd, struct run *run);
/* Doorbells that waited, and whether shims may be read from. */
void relay_turn(struct spawnd *spawnd);
bool mux_is_full(const struct spawnd *spawnd);

/* orphans.c: T8 */
/* A shim was killed: everything that comes to us as its heir ends. */
void orphans_begin(void);
/* True while there is something to kill. */
bool orphans_turn(struct spawnd *spawnd);
u64 orphans_swept(void);
u64 orphans_left(void);

#endif
