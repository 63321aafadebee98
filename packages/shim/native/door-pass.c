/*
 * One connection through the door. What comes from the agent is read packet by packet and judged (door-rules.c); what the master answers
 * is passed on as it is.
 *
 * A master that was sent a request waits for its descriptors, and serves nobody meanwhile. So a request is held here until all of them
 * have come, and is sent with them.
 */
#include "door.h"

#include "carrier.h"
#include "limits.h"
#include "mux-link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define FDS_MAX 3u

struct passage {
	int client_fd;
	int leash_fd;
	struct mux_link master;
	u8 packet[4 + MASTER_PACKET_BYTES_MAX];
	size_t length;
	struct door_rule rule;
	int fds[FDS_MAX];
	unsigned fd_count;
	/* something was started: it goes on when the leash has hung up */
	bool has_opened;
	bool is_closing;
};

static bool send_all(int fd, const u8 *bytes, size_t length)
{
	while (length > 0) {
		ssize_t n = send(fd, bytes, length, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		length -= (size_t)n;
	}
	return true;
}

static bool send_fd(int to, int fd)
{
	struct carrier carrier;
	struct msghdr message;
	carrier_load(&carrier, &message, fd);
	ssize_t n;
	do
		n = sendmsg(to, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

static bool refuse(const struct passage *passage, const char *why)
{
	u8 answer[256];
	size_t length = strlen(why);
	const u32 words[] = {(u32)(12 + length), MASTER_DENIED, passage->rule.id, (u32)length};
	for (size_t i = 0; i < 4; i++)
		mux_put_u32(answer + 4 * i, words[i]);
	memcpy(answer + 16, why, length);
	return send_all(passage->client_fd, answer, 16 + length);
}

static bool pass_on(struct passage *passage)
{
	const bool opens = passage->rule.fds > 0;
	bool is_sent;
	if (opens && passage->is_closing) {
		is_sent = refuse(passage, "the policy of this host was changed");
	} else {
		is_sent = send_all(passage->master.fd, passage->packet, passage->length);
		for (unsigned i = 0; is_sent && i < passage->fd_count; i++)
			is_sent = send_fd(passage->master.fd, passage->fds[i]);
		passage->has_opened |= opens;
	}
	for (unsigned i = 0; i < passage->fd_count; i++)
		close(passage->fds[i]);
	passage->fd_count = 0;
	passage->length = 0;
	return is_sent;
}

static bool hear_packet(struct passage *passage)
{
	passage->rule = door_judge(passage->packet + 4, passage->length - 4);
	if (passage->rule.verdict == DOOR_BREAKS)
		return false;
	if (passage->rule.verdict == DOOR_REFUSES) {
		passage->length = 0;
		return refuse(passage, "only sessions on the host are open to agents in a shield; nothing is forwarded to or from this machine");
	}
	return passage->rule.fds > 0 || pass_on(passage);
}

/* How many bytes the packet has that is being read, as far as that is known; 0: no such packet can be. */
static size_t packet_bytes(const struct passage *passage)
{
	const u8 *at = passage->packet;
	if (passage->length < 4)
		return 4;
	size_t body = (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3];
	return body < 4 || body > MASTER_PACKET_BYTES_MAX ? 0 : 4 + body;
}

/* Reads up to `room` bytes and at most one descriptor. */
static ssize_t receive(int from, u8 *bytes, size_t room, int *fd)
{
	struct carrier carrier = {.byte = {bytes, room}};
	struct msghdr message = {.msg_iov = &carrier.byte, .msg_iovlen = 1, .msg_control = carrier.control,
				 .msg_controllen = sizeof carrier.control};
	ssize_t n = recvmsg(from, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	*fd = -1;
	const struct cmsghdr *head = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(sizeof *fd))
		memcpy(fd, CMSG_DATA(head), sizeof *fd);
	return n;
}

/* False: the connection is over. */
static bool hear_client(struct passage *passage)
{
	const bool wants_fd = passage->length > 4 && passage->length == packet_bytes(passage);
	u8 nothing;
	int fd;
	ssize_t n = wants_fd ? receive(passage->client_fd, &nothing, 1, &fd)
			     : receive(passage->client_fd, passage->packet + passage->length,
				       packet_bytes(passage) - passage->length, &fd);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	/* A descriptor where none belongs, or none where one does. */
	if (n == 0 || wants_fd != (fd >= 0))
		return false;
	if (wants_fd) {
		passage->fds[passage->fd_count++] = fd;
		return passage->fd_count < passage->rule.fds || pass_on(passage);
	}
	passage->length += (size_t)n;
	size_t whole = packet_bytes(passage);
	return whole > 0 && (passage->length < whole || hear_packet(passage));
}

static bool hear_master(const struct passage *passage)
{
	u8 bytes[4096];
	ssize_t n = recv(passage->master.fd, bytes, sizeof bytes, MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	return n > 0 && send_all(passage->client_fd, bytes, (size_t)n);
}

static bool turn(struct passage *passage)
{
	struct pollfd polled[] = {
		{.fd = passage->is_closing ? -1 : passage->leash_fd},
		{.fd = passage->master.fd, .events = POLLIN},
		{.fd = passage->client_fd, .events = POLLIN},
	};
	if (poll(polled, 3, -1) < 0)
		return errno == EINTR;
	if (polled[0].revents)
		passage->is_closing = true;
	if (passage->is_closing && !passage->has_opened)
		return false;
	if (polled[1].revents && !hear_master(passage))
		return false;
	return !polled[2].revents || hear_client(passage);
}

/* A master whose queue is full takes us later. */
static bool reach_master(struct passage *passage, const char *path)
{
	const u64 until_ms = after_ms(monotonic_ms(), OPEN_MS_DEFAULT);
	int failed;
	while ((failed = mux_connect(&passage->master, path)) == -EAGAIN && monotonic_ms() < until_ms)
		(void)poll(NULL, 0, CONNECT_RETRY_MS);
	if (failed)
		return false;
	int flags = fcntl(passage->master.fd, F_GETFL);
	return flags >= 0 && fcntl(passage->master.fd, F_SETFL, flags & ~O_NONBLOCK) == 0;
}

_Noreturn void door_pass(int client_fd, const char *master_path, int leash_fd)
{
	static struct passage passage;
	/* Who does not read its answers is left. */
	const struct timeval patience = {.tv_sec = DOOR_SEND_SECONDS};
	passage.client_fd = client_fd;
	passage.leash_fd = leash_fd;
	if (setsockopt(client_fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0 &&
	    reach_master(&passage, master_path))
		while (turn(&passage))
			;
	_exit(0);
}
