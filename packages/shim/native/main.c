/*
 * clawdfather-shim: one small binary with a few jobs and no options.
 * `spawnd` and `direct` speak the shim protocol on descriptor 3; see docs/protocol/shim.md.
 */
#include "confine.h"
#include "dial.h"
#include "door.h"
#include "hostkey.h"
#include "init.h"
#include "ladder.h"
#include "limits.h"
#include "listen.h"
#include "mux.h"
#include "shim.h"
#include "spawnd.h"
#include "stdio-relay.h"
#include "sweep.h"
#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINK_FD 3

static u8 *read_request(struct frame *frame)
{
	size_t length = 0, capacity = 4096;
	u8 *bytes = malloc(capacity);
	while (bytes) {
		ssize_t n = read(LINK_FD, bytes + length, capacity - length - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		length += (size_t)n;
		enum frame_state state = frame_parse(bytes, length, FRAME_LENGTH_MAX, frame);
		if (state == FRAME_WHOLE && frame->type == MSG_SPAWN)
			return bytes;
		if (state != FRAME_PARTIAL)
			break;
		if (capacity - length < 2) {
			u8 *moved = realloc(bytes, capacity *= 2);
			if (!moved)
				break;
			bytes = moved;
		}
	}
	free(bytes);
	return NULL;
}

/* Forks once, so that the shim is nobody's child but init's, and its starter has nothing to wait for. */
static int direct_main(void)
{
	struct frame frame;
	struct host host;
	u8 *bytes = read_request(&frame);
	if (!bytes || host_read(&host) != 0)
		return 1;
	pid_t pid = fork();
	if (pid != 0) {
		free(bytes);
		return pid < 0 ? 1 : 0;
	}
	if (setsid() < 0 || sys_close_from(LINK_FD + 1) != 0)
		return 1;
	struct request request = {.message = bytes + FRAME_HEADER_BYTES, .length = frame.length, .handle = frame.id,
				  .link_fd = LINK_FD, .shield = NO_SHIELD};
	shim_main(&request, &host);
}

int main(int argc, char **argv)
{
	const char *job = argc > 1 ? argv[1] : "";
	if (strcmp(job, "version") == 0) {
		printf("clawdfather-shim protocol %d\n", PROTOCOL_VERSION);
		return 0;
	}
	if (strcmp(job, "confinement") == 0)
		return confinement_main();
	if (strcmp(job, "sweep") == 0 && argc == 5)
		return sweep_main(argv[2], argv[3], argv[4]);
	if (strcmp(job, "init") == 0 && argc > 2)
		return init_main(argv + 2);
	if (strcmp(job, "listen") == 0 && argc > 4)
		return listen_main(argv[2], argv[3], argv + 4);
	if (strcmp(job, "relay") == 0 && argc == 3)
		return stdio_relay_main(argv[2]);
	if (strcmp(job, "mux") == 0 && argc == 3)
		return mux_main(argv[2]);
	if (strcmp(job, "door") == 0 && argc == 4)
		return door_main(argv[2], argv[3]);
	if (strcmp(job, "dial") == 0 && argc == 6)
		return dial_main(argv[2], argv[3], argv[4], argv[5]);
	if (strcmp(job, "hostkey") == 0 && argc == 8)
		return hostkey_main(argv + 2);
#ifdef CLAWDFATHER_TEST_HOOKS
	if (strcmp(job, "selftest") == 0) {
		const char *wrong = ladder_self_test();
		printf("%s\n", wrong ? wrong : "ok");
		return wrong ? 1 : 0;
	}
#endif
	bool spawnd = strcmp(job, "spawnd") == 0;
	if (!spawnd && strcmp(job, "direct") != 0) {
		fprintf(stderr, "usage: clawdfather-shim spawnd | direct | sweep LEASE UID TICKS | init PROGRAM … | confinement | version |\n"
				"listen SOCKET_DIRECTORY RUN_DIRECTORY PROGRAM … | relay SOCKET |\n"
				"mux SOCKET | door DIRECTORY SOCKET | dial ADDRESS PORT REPORT LIMIT_MS | hostkey REPORT PINS INVOCATION TYPE KEY ALIAS\n"
				"spawnd and direct are started by the supervisor and speak on descriptor 3.\n");
		return 2;
	}
	if (fcntl(LINK_FD, F_GETFD) < 0) {
		fprintf(stderr, "clawdfather-shim %s: descriptor 3 is not open\n", job);
		return 2;
	}
	if (reset_signals() != 0 || detach_stdio() != 0 || fcntl(LINK_FD, F_SETFD, FD_CLOEXEC) < 0)
		return 1;
	return spawnd ? spawnd_main(LINK_FD) : direct_main();
}
