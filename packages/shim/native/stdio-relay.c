/*
 * `relay SOCKET`: what comes in on standard input goes to the socket, what comes from the socket goes to standard output. A
 * shielded agent starts it in the place of the tool server, which is outside (listen.c).
 *
 * Each direction has a buffer and is heard by itself: a side that does not read holds up its own direction and not the other. The
 * end of input is passed on, and the answers to what came before it still arrive. The socket's end is ours.
 *
 * A listener that is being replaced, or has too many connections waiting, is waited for, RELAY_CONNECT_MS at most. A server that ends while our input is open is a
 * failure, and said so: the program that started us would take a silent end for a wish of its own.
 */
#include "stdio-relay.h"

#include "limits.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* One direction: what was read and is not written yet. */
struct flow {
	int from;
	int to;
	u8 bytes[RELAY_BUFFER_BYTES];
	size_t start;
	size_t end;
	/* nothing more comes in */
	bool ended;
	/* nothing more is taken */
	bool broken;
};

/* Through a descriptor: a path may be longer than a socket's may be (E2). */
static int try_connect(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int place = open(path, O_PATH | O_CLOEXEC);
	if (place < 0)
		return -errno;
	(void)snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d", place);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int result = fd < 0 ? -errno : connect(fd, (struct sockaddr *)&address, sizeof address) == 0 ? fd : -errno;
	if (result < 0 && fd >= 0)
		close(fd);
	close(place);
	return result;
}

static int connect_soon(const char *path)
{
	const u64 give_up_ms = after_ms(monotonic_ms(), RELAY_CONNECT_MS);
	for (;;) {
		int fd = try_connect(path);
		if ((fd != -ENOENT && fd != -ECONNREFUSED && fd != -EAGAIN) || monotonic_ms() >= give_up_ms)
			return fd;
		(void)poll(NULL, 0, RELAY_RETRY_MS);
	}
}

static bool is_empty(const struct flow *flow)
{
	return flow->start == flow->end;
}

static void take(struct flow *flow)
{
	ssize_t n = read(flow->from, flow->bytes, sizeof flow->bytes);
	if (n > 0) {
		flow->start = 0;
		flow->end = (size_t)n;
	} else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
		flow->ended = true;
	}
}

/* A pipe that says it is writable takes PIPE_BUF bytes without blocking; ours may be shared, so it stays a blocking one. */
static void give(struct flow *flow)
{
	const size_t waiting = flow->end - flow->start;
	ssize_t n = write(flow->to, flow->bytes + flow->start, waiting < PIPE_BUF ? waiting : PIPE_BUF);
	if (n > 0)
		flow->start += (size_t)n;
	else if (n < 0 && errno != EINTR && errno != EAGAIN)
		flow->broken = flow->ended = true;
}

static struct pollfd wish_of(const struct flow *flow)
{
	if (flow->broken || (flow->ended && is_empty(flow)))
		return (struct pollfd){.fd = -1};
	return is_empty(flow) ? (struct pollfd){.fd = flow->from, .events = POLLIN} : (struct pollfd){.fd = flow->to, .events = POLLOUT};
}

static void move(struct flow *flow, const struct pollfd *polled)
{
	if (polled->fd < 0 || !polled->revents)
		return;
	if (polled->events & POLLIN)
		take(flow);
	else
		give(flow);
}

static int pass_on(int server)
{
	static struct flow in, out;
	in.from = 0;
	out.to = 1;
	in.to = out.from = server;
	bool told_end = false;
	while (!out.broken && !(out.ended && is_empty(&out))) {
		struct pollfd polled[] = {wish_of(&in), wish_of(&out)};
		if (poll(polled, 2, -1) < 0 && errno != EINTR)
			return 1;
		move(&in, &polled[0]);
		move(&out, &polled[1]);
		if (in.ended && is_empty(&in) && !told_end) {
			(void)shutdown(server, SHUT_WR);
			told_end = true;
		}
	}
	if (out.broken || told_end)
		return 0;
	fprintf(stderr, "clawdfather-shim relay: the tool server has ended; start the relay again for another one\n");
	return 1;
}

int stdio_relay_main(const char *socket_path)
{
	(void)signal(SIGPIPE, SIG_IGN);
	int server = connect_soon(socket_path);
	if (server < 0) {
		fprintf(stderr, "clawdfather-shim relay: no tool server answers at %s: %s\n", socket_path, strerror(-server));
		return 1;
	}
	return pass_on(server);
}
