/* See peer.h. */
#include "peer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static bool keep(struct peer *peer, const u8 *bytes, size_t length)
{
	if (peer->out_done == peer->out_length)
		peer->out_done = peer->out_length = 0;
	if (peer->out_length - peer->out_done + length > peer->out_max)
		return false;
	if (peer->out_length + length > peer->out_capacity && peer->out_done > 0) {
		if (peer->out)
			memmove(peer->out, peer->out + peer->out_done, peer->out_length - peer->out_done);
		peer->out_length -= peer->out_done;
		peer->out_done = 0;
	}
	if (peer->out_length + length > peer->out_capacity) {
		size_t grown = (peer->out_length + length) * 2 + 1024;
		u8 *moved = realloc(peer->out, grown);
		if (!moved)
			return false;
		peer->out = moved;
		peer->out_capacity = grown;
	}
	memcpy(peer->out + peer->out_length, bytes, length);
	peer->out_length += length;
	return true;
}

static void send_parts(struct peer *peer, struct iovec *parts, u8 count) /* u8: libcs disagree on msg_iovlen */
{
	if (peer->dead || peer->fd < 0)
		return;
	size_t sent = 0;
	if (!peer_waiting(peer)) {
		struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
		ssize_t n;
		do
			n = sendmsg(peer->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
		while (n < 0 && errno == EINTR);
		if (n < 0 && errno != EAGAIN) {
			peer->dead = true;
			return;
		}
		sent = n > 0 ? (size_t)n : 0;
	}
	for (size_t i = 0; i < count; i++) {
		size_t skip = sent < parts[i].iov_len ? sent : parts[i].iov_len;
		sent -= skip;
		if (skip < parts[i].iov_len &&
		    !keep(peer, (const u8 *)parts[i].iov_base + skip, parts[i].iov_len - skip))
			peer->dead = true;
	}
	if (peer->lingering)
		peer_flush(peer);
}

static struct iovec part(const void *bytes, size_t length)
{
	return (struct iovec){(void *)(uintptr_t)bytes, length};
}

void peer_send2(struct peer *peer, u8 type, u32 id, const void *first, size_t first_length, const void *second,
		size_t second_length)
{
	u8 header[FRAME_HEADER_BYTES];
	frame_header(header, type, id, first_length + second_length);
	struct iovec parts[3] = {part(header, sizeof header), part(first, first_length), part(second, second_length)};
	send_parts(peer, parts, 3);
}

void peer_send(struct peer *peer, u8 type, u32 id, const void *payload, size_t length)
{
	peer_send2(peer, type, id, payload, length, NULL, 0);
}

void peer_send_lazily(struct peer *peer, u8 type, u32 id, const void *payload, size_t length)
{
	u8 header[FRAME_HEADER_BYTES];
	frame_header(header, type, id, length);
	if (peer->dead || peer->fd < 0 || peer_waiting(peer)) {
		peer_send(peer, type, id, payload, length);
		return;
	}
	peer->lingering = keep(peer, header, sizeof header) && keep(peer, payload, length);
	peer->dead = !peer->lingering;
}

void peer_forward(struct peer *peer, const u8 *bytes, size_t length)
{
	struct iovec parts[1] = {part(bytes, length)};
	send_parts(peer, parts, 1);
}

static void ring(struct peer *peer, u32 id, u64 journal_length, struct iovec tail)
{
	if (peer_blocked(peer)) {
		peer->doorbell_due = true;
		return;
	}
	u8 payload[8];
	put_uint(payload, journal_length, 8);
	peer_send2(peer, MSG_DOORBELL, id, payload, sizeof payload, tail.iov_base, tail.iov_len);
	peer->doorbell_due = false;
}

void peer_doorbell(struct peer *peer, u32 id, u64 journal_length)
{
	ring(peer, id, journal_length, part(NULL, 0));
}

void peer_doorbell_with(struct peer *peer, u64 journal_length, const u8 *tail, size_t tail_length)
{
	ring(peer, 0, journal_length, part(tail, tail_length));
}

void peer_flush(struct peer *peer)
{
	peer->lingering = false;
	while (!peer->dead && peer_waiting(peer)) {
		ssize_t n = send(peer->fd, peer->out + peer->out_done, peer->out_length - peer->out_done,
				 MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			peer->dead = errno != EAGAIN;
			return;
		}
		peer->out_done += (size_t)n;
	}
	/* Idle peers hold no memory: a thousand runs are a thousand of these. */
	free(peer->out);
	peer->out = NULL;
	peer->out_length = peer->out_done = peer->out_capacity = 0;
}

bool peer_waiting(const struct peer *peer)
{
	return peer->out_length > peer->out_done;
}

bool peer_blocked(const struct peer *peer)
{
	return peer_waiting(peer) && !peer->lingering;
}

void peer_close(struct peer *peer)
{
	if (peer->fd >= 0)
		close(peer->fd);
	free(peer->out);
	*peer = (struct peer){.fd = -1, .dead = true};
}
