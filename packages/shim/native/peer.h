/*
 * One end of a stream socket that never blocks us (S2): what the other side does not take waits here, up to a cap,
 * and doorbells are not queued at all but sent anew with the newest length when there is room.
 */
#ifndef CLF_PEER_H
#define CLF_PEER_H

#include "wire.h"

struct peer {
	int fd;
	u8 *out;
	size_t out_length;
	size_t out_done;
	size_t out_capacity;
	size_t out_max;
	bool doorbell_due;
	/* what waits goes out with the next message, or when its owner flushes it */
	bool lingering;
	/* broken or over the cap: the owner of the peer closes it */
	bool dead;
};

void peer_send(struct peer *peer, u8 type, u32 id, const void *payload, size_t length);
/* Two parts, one message. */
void peer_send2(struct peer *peer, u8 type, u32 id, const void *first, size_t first_length, const void *second,
		size_t second_length);
/* As peer_send, but it may wait for the next message: two in one wake the other side once. */
void peer_send_lazily(struct peer *peer, u8 type, u32 id, const void *payload, size_t length);
/* Sends now if nothing waits, else once there is room. */
void peer_doorbell(struct peer *peer, u32 id, u64 journal_length);
/* With the journal's last bytes; they are left out when the doorbell has to wait. */
void peer_doorbell_with(struct peer *peer, u64 journal_length, const u8 *tail, size_t tail_length);
/* To be called when the socket is writable. */
void peer_flush(struct peer *peer);
/* Raw bytes that are frames already. */
void peer_forward(struct peer *peer, const u8 *bytes, size_t length);
bool peer_waiting(const struct peer *peer);
/* It has something that the other side did not take. */
bool peer_blocked(const struct peer *peer);
void peer_close(struct peer *peer);

#endif
