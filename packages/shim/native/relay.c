/*
 * spawnd's relay: what shims say goes to the gateway in whole frames, so that two shims' messages never mix.
 *
 * The gateway may be slow or frozen (S2). While it takes nothing, each run's doorbells are one, the newest. Above
 * MUX_FULL_BYTES shims are not read from: what they say waits in their own sockets and buffers, also after their
 * death. Descriptors leave epoll before they are closed: a fork may hold a copy.
 */
#include "spawnd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

int watch_fd(struct spawnd *spawnd, int fd, u32 events, void *mark)
{
	struct epoll_event event = {.events = events, .data.ptr = mark};
	return epoll_ctl(spawnd->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : -errno;
}

void unwatch_and_close(struct spawnd *spawnd, int *fd)
{
	if (*fd < 0)
		return;
	(void)epoll_ctl(spawnd->epoll_fd, EPOLL_CTL_DEL, *fd, NULL);
	close(*fd);
	*fd = -1;
}

static size_t mux_waiting(const struct spawnd *spawnd)
{
	return spawnd->mux.out_length - spawnd->mux.out_done;
}

bool mux_is_full(const struct spawnd *spawnd)
{
	return mux_waiting(spawnd) > MUX_FULL_BYTES;
}

static void forward(struct spawnd *spawnd, struct run *run, const u8 *bytes, const struct frame *frame)
{
	run->told_end |= frame->type == MSG_END || frame->type == MSG_SPAWN_ERROR;
	if (spawnd->mux.fd < 0)
		return;
	if (frame->type == MSG_DOORBELL && frame->bytes == sizeof run->doorbell && peer_waiting(&spawnd->mux)) {
		memcpy(run->doorbell, bytes, sizeof run->doorbell);
		run->doorbell_due = spawnd->doorbells_due = true;
		return;
	}
	if (frame->type == MSG_END)
		run->doorbell_due = false; /* END says the length too */
	peer_forward(&spawnd->mux, bytes, frame->bytes);
}

/* Keeps the beginning of a frame for the next time. False when there is no memory for it. */
static bool keep_rest(struct run *run, const u8 *rest, size_t length)
{
	u8 *kept = length > 0 ? malloc(length) : NULL;
	if (kept)
		memcpy(kept, rest, length);
	free(run->in);
	run->in = kept;
	run->in_length = kept ? length : 0;
	return kept || length == 0;
}

bool relay(struct spawnd *spawnd, struct run *run)
{
	static u8 buffer[FRAME_LENGTH_MAX + 4 + RELAY_BYTES];
	if (run->link < 0 || mux_is_full(spawnd))
		return false;
	if (run->in_length > 0)
		memcpy(buffer, run->in, run->in_length);
	ssize_t n = recv(run->link, buffer + run->in_length, RELAY_BYTES, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	size_t length = run->in_length + (n > 0 ? (size_t)n : 0), done = 0;
	struct frame frame;
	enum frame_state state = FRAME_PARTIAL;
	while (n > 0 && (state = frame_parse(buffer + done, length - done, FRAME_LENGTH_MAX, &frame)) == FRAME_WHOLE) {
		forward(spawnd, run, buffer + done, &frame);
		done += frame.bytes;
	}
	if (n <= 0 || state == FRAME_BAD || !keep_rest(run, buffer + done, length - done))
		unwatch_and_close(spawnd, &run->link);
	return run->link >= 0;
}

static void throttle(struct spawnd *spawnd, bool on)
{
	if (spawnd->throttled == on)
		return;
	spawnd->throttled = on;
	for (size_t i = 0; i < spawnd->run_count; i++) {
		struct run *run = spawnd->runs[i];
		if (run->link < 0)
			continue;
		/* Taken out, not masked: a hang-up is reported whatever is asked for, and would wake us for ever. */
		if (on)
			(void)epoll_ctl(spawnd->epoll_fd, EPOLL_CTL_DEL, run->link, NULL);
		else
			(void)watch_fd(spawnd, run->link, EPOLLIN, run);
	}
}

void relay_turn(struct spawnd *spawnd)
{
	bool room = !peer_waiting(&spawnd->mux);
	for (size_t i = 0; spawnd->doorbells_due && room && i < spawnd->run_count; i++) {
		struct run *run = spawnd->runs[i];
		if (!run->doorbell_due)
			continue;
		run->doorbell_due = false;
		peer_forward(&spawnd->mux, run->doorbell, sizeof run->doorbell);
	}
	spawnd->doorbells_due &= !room;
	if (mux_is_full(spawnd))
		throttle(spawnd, true);
	else if (mux_waiting(spawnd) < MUX_ROOM_BYTES)
		throttle(spawnd, false);
}
