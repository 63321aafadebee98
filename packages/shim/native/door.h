/* The way of a shielded agent to the master of a session, and what may go through it: see door.c. */
#ifndef CLF_DOOR_H
#define CLF_DOOR_H

#include "sys.h"

/* Of the processes at the door: the one that listens, and one for each connection. */
int door_main(const char *directory, const char *master_path);

/* Passes one connection on, and ends the process. The leash hangs up when nothing new may be opened. */
_Noreturn void door_pass(int client_fd, const char *master_path, int leash_fd);

enum door_verdict {
	DOOR_PASSES,
	/* answered by us, and never seen by the master */
	DOOR_REFUSES,
	/* it breaks the protocol */
	DOOR_BREAKS,
};

struct door_rule {
	enum door_verdict verdict;
	/* the request, for the answer */
	u32 id;
	/* it starts something on the host, and has so many descriptors with it */
	unsigned fds;
};

/* What is to be done with a packet; `body` begins with its type. Options that reach out of the host are turned off in it. Pure. */
struct door_rule door_judge(u8 *body, size_t length);

#endif
