/* See mux-link.h. */
#include "mux-link.h"

#include "carrier.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static int read_peer(const struct mux_link *link, struct ucred *peer)
{
	socklen_t length = sizeof *peer;
	return getsockopt(link->fd, SOL_SOCKET, SO_PEERCRED, peer, &length) == 0 ? 0 : -errno;
}

int mux_connect(struct mux_link *link, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	*link = MUX_NO_LINK;
	if (strlen(path) >= sizeof address.sun_path)
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path));
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	link->in = malloc(MASTER_PACKET_BYTES_MAX + 4u); /* pages that are not used cost nothing */
	if (!link->in || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
		int failed = link->in ? errno : ENOMEM;
		close(fd);
		mux_close(link);
		return -failed;
	}
	link->fd = fd;
	struct ucred peer;
	int failed = read_peer(link, &peer);
	/* Another user's program would be told the command, and get our descriptors. */
	if (failed == 0 && peer.uid != 0 && peer.uid != geteuid())
		failed = -EPERM;
	if (failed)
		mux_close(link);
	return failed;
}

void mux_close(struct mux_link *link)
{
	if (link->fd >= 0)
		close(link->fd);
	free(link->in);
	*link = MUX_NO_LINK;
}

/*
 * The kernel's own call: musl's function of this name is a loop of calls, and we could be stopped or killed in between. musl's
 * struct fits, since its padding is where the kernel's words are wider, and is zero.
 */
static int send_messages(int fd, struct mmsghdr *messages, unsigned count)
{
	return (int)syscall(SYS_sendmmsg, fd, messages, count, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* All of it or nothing: see the hazard in the header. */
static int send_at_once(struct mux_link *link, struct mmsghdr *messages, unsigned count, size_t first_length)
{
	int sent;
	do
		sent = send_messages(link->fd, messages, count);
	while (sent < 0 && errno == EINTR);
	int failed = sent < 0 ? errno : sent == (int)count && messages[0].msg_len == first_length ? 0 : EAGAIN;
	if (failed)
		mux_close(link);
	return -failed;
}

/* The fixed part of a request for a session, up to the name of the terminal. */
#define SESSION_HEAD_BYTES (4u + 8u + 4u + 5u * 4u + 4u)

static void put_session_head(u8 at[SESSION_HEAD_BYTES], size_t rest, size_t type_length, bool with_terminal)
{
	const u32 no_escape_character = 0xffffffffu;
	const u32 words[] = {(u32)(SESSION_HEAD_BYTES - 4 + rest), MASTER_NEW_SESSION, SESSION_REQUEST_ID, 0 /* reserved */,
			     with_terminal, 0 /* X11 */, 0 /* agent */, 0 /* subsystem */, no_escape_character, (u32)type_length};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		mux_put_u32(at + 4 * i, words[i]);
}

static struct iovec part(const void *bytes, size_t length)
{
	return (struct iovec){(void *)(uintptr_t)bytes, length};
}

int mux_ask_session(struct mux_link *link, const struct mux_request *request)
{
	const char *type = request->terminal_type ? request->terminal_type : "";
	size_t type_length = strlen(type), command_length = strlen(request->command);
	if (type_length > TERMINAL_TYPE_BYTES_MAX || command_length > HOST_COMMAND_BYTES_MAX) {
		mux_close(link);
		return -E2BIG;
	}
	/* The kernel's default takes it all; a machine may be tuned otherwise. */
	int room = SEND_ROOM_BYTES;
	(void)setsockopt(link->fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);

	u8 hello[HELLO_BYTES], alive[ALIVE_BYTES], head[SESSION_HEAD_BYTES], length_word[4];
	mux_put_hello(hello);
	mux_put_alive(alive, ALIVE_REQUEST_ID);
	put_session_head(head, type_length + 4 + command_length, type_length, request->terminal_type != NULL);
	mux_put_u32(length_word, (u32)command_length);
	struct iovec parts[] = {
		part(hello, sizeof hello),
		part(alive, request->terminal_type ? sizeof alive : 0),
		part(head, sizeof head),
		part(type, type_length),
		part(length_word, sizeof length_word),
		part(request->command, command_length),
	};
	size_t total = 0;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		total += parts[i].iov_len;

	struct carrier carriers[3];
	struct mmsghdr messages[4];
	memset(messages, 0, sizeof messages);
	messages[0].msg_hdr = (struct msghdr){.msg_iov = parts, .msg_iovlen = sizeof parts / sizeof *parts};
	for (size_t i = 0; i < 3; i++)
		carrier_load(&carriers[i], &messages[i + 1].msg_hdr, request->fds[i]);
	return send_at_once(link, messages, 4, total);
}

int mux_ask_alive(struct mux_link *link)
{
	u8 bytes[HELLO_BYTES + ALIVE_BYTES];
	mux_put_hello(bytes);
	mux_put_alive(bytes + HELLO_BYTES, ALIVE_REQUEST_ID);
	struct iovec whole = part(bytes, sizeof bytes);
	struct mmsghdr message = {.msg_hdr = {.msg_iov = &whole, .msg_iovlen = 1}};
	return send_at_once(link, &message, 1, sizeof bytes);
}

int mux_receive(struct mux_link *link)
{
	memmove(link->in, link->in + link->done, link->length - link->done);
	link->length -= link->done;
	link->done = 0;
	for (;;) {
		size_t room = MASTER_PACKET_BYTES_MAX + 4u - link->length;
		if (room == 0)
			return 0; /* there is a packet in it */
		ssize_t n = recv(link->fd, link->in + link->length, room, MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? 0 : -errno;
		if (n == 0)
			return 1;
		link->length += (size_t)n;
	}
}

enum frame_state mux_next(struct mux_link *link, struct mux_packet *packet)
{
	if (link->fd < 0)
		return FRAME_PARTIAL;
	enum frame_state state = mux_packet_parse(link->in + link->done, link->length - link->done, packet);
	if (state == FRAME_WHOLE)
		link->done += packet->bytes;
	return state;
}

pid_t mux_peer(const struct mux_link *link)
{
	struct ucred peer;
	int failed = read_peer(link, &peer);
	return failed ? failed : peer.pid;
}
