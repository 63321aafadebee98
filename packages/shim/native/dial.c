/*
 * `dial ADDRESS PORT REPORT LIMIT_MS`: connects, and hands the connection to ssh, which has started it as its ProxyCommand with
 * ProxyUseFdpass: over standard output, a Unix socket. The address is numeric: what was checked is what is dialled, and nothing is
 * resolved here. What came of it is appended to the report, because ssh has the same status and other words for every failure.
 *
 * Stages: parse → connect within the limit → report → hand over, and end. If ssh goes away meanwhile, so do we.
 */
#include "dial.h"

#include "carrier.h"
#include "limits.h"
#include "report.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct target {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} address;
	socklen_t length;
};

static bool parse_target(const char *address, const char *port_text, struct target *target)
{
	u64 port;
	memset(target, 0, sizeof *target);
	if (!parse_u64(port_text, UINT16_MAX, &port) || port == 0)
		return false;
	if (inet_pton(AF_INET, address, &target->address.v4.sin_addr) == 1) {
		target->address.v4.sin_family = AF_INET;
		target->address.v4.sin_port = htons((u16)port);
		target->length = sizeof target->address.v4;
		return true;
	}
	if (inet_pton(AF_INET6, address, &target->address.v6.sin6_addr) == 1) {
		target->address.v6.sin6_family = AF_INET6;
		target->address.v6.sin6_port = htons((u16)port);
		target->length = sizeof target->address.v6;
		return true;
	}
	return false;
}

/* 0 or -errno; -ETIME when our own limit is over, -EPIPE when ssh is gone. */
static int await_connection(int fd, u64 until_ms)
{
	for (;;) {
		u64 now = monotonic_ms();
		if (now >= until_ms)
			return -ETIME;
		struct pollfd entries[2] = {{.fd = fd, .events = POLLOUT}, {.fd = STDOUT_FILENO, .events = 0}};
		if (poll(entries, 2, sleep_cap_ms((int)(until_ms - now))) < 0 && errno != EINTR)
			return -errno;
		if (entries[1].revents)
			return -EPIPE;
		if (!entries[0].revents)
			continue;
		int failed = 0;
		socklen_t length = sizeof failed;
		if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &length) != 0)
			return -errno;
		return -failed;
	}
}

/* As ssh sets them on connections of its own. */
static int prepare_socket(int fd)
{
	const int on = 1;
	int flags = fcntl(fd, F_GETFL);
	/*
	 * Since Linux 6.15: without it, what waits in a wire that was cut is sent again up to two minutes after it has healed. Then
	 * TCP would give up after its fifteen tries, in 14 s, so it is told a time instead. Ours ends the connection before that.
	 */
	const unsigned give_up_ms = DIAL_GIVE_UP_MS;
	const int again_ms = DIAL_SEND_AGAIN_MS;
	if (setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &give_up_ms, sizeof give_up_ms) == 0)
		(void)setsockopt(fd, IPPROTO_TCP, TCP_RTO_MAX_MS_OPTION, &again_ms, sizeof again_ms);
	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on) != 0 || flags < 0 ||
	    fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) != 0)
		return -errno;
	return 0;
}

/* A descriptor, or -errno. */
static int open_connection(const struct target *target, u64 until_ms)
{
	int fd = socket(target->address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	int failed = connect(fd, &target->address.any, target->length) == 0 ? 0 : -errno;
	if (failed == -EINPROGRESS)
		failed = await_connection(fd, until_ms);
	if (failed == 0)
		failed = prepare_socket(fd);
	if (failed == 0)
		return fd;
	close(fd);
	return failed;
}

static int hand_over(int fd)
{
	struct carrier carrier;
	struct msghdr message;
	carrier_load(&carrier, &message, fd);
	ssize_t n;
	do
		n = sendmsg(STDOUT_FILENO, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == 1 ? 0 : -errno;
}

int dial_main(const char *address, const char *port, const char *report, const char *limit_ms)
{
	struct target target;
	u64 limit;
	int report_fd = report_open(report);
	if (report_fd < 0)
		return 1;
	if (!parse_target(address, port, &target) || !parse_u64(limit_ms, DIAL_MS_MAX, &limit)) {
		report_line(report_fd, "dial failed EINVAL 0");
		return 1;
	}
	u64 begin = monotonic_ms();
	int fd = open_connection(&target, begin + limit);
	unsigned long long took = monotonic_ms() - begin;
	if (fd == -ETIME)
		report_line(report_fd, "dial timeout");
	else if (fd < 0)
		report_line(report_fd, "dial failed %s %llu", error_name(-fd), took);
	else
		report_line(report_fd, "dial connected %llu", took);
	return fd >= 0 && hand_over(fd) == 0 ? 0 : 1;
}
