/*
 * The run's own socket, `s` in the run directory: who may connect, and the bytes of each client.
 *
 * Bound under another name and renamed when it listens, so that a refused connection always means a dead shim
 * (O5). The peer's credentials come first (E7), then its cookie; before that it may send one small message.
 * A client whose input waits for the command is not read from (backpressure); others are not affected.
 */
#include "shim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* How the kernel shows a user it cannot map into this namespace. */
#define OVERFLOW_UID 65534u

/* The working directory is the run directory: a short name, whatever the path's length (E2). */
int control_open(struct shim *shim)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "s.new"};
	struct stat made;
	(void)unlink("s.new");
	if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, CONTROL_CLIENTS_MAX) != 0 ||
	    stat("s.new", &made) != 0 || rename("s.new", "s") != 0) {
		int failed = errno;
		(void)unlink("s.new");
		close(fd);
		return -failed;
	}
	if (shim->listen_fd >= 0)
		close(shim->listen_fd);
	shim->listen_fd = fd;
	shim->listen_ino = (u64)made.st_ino;
	return 0;
}

void control_check(struct shim *shim)
{
	struct stat found;
	if (fstatat(shim->dir_fd, "s", &found, AT_SYMLINK_NOFOLLOW) != 0 || (u64)found.st_ino != shim->listen_ino)
		(void)control_open(shim); /* tried again at the next look */
}

static bool credentials_fit(int fd, struct client *client)
{
	struct ucred peer;
	socklen_t length = sizeof peer;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0)
		return false;
	client->pid = peer.pid;
	client->uid = peer.uid;
	return peer.uid != OVERFLOW_UID && (peer.uid == 0 || peer.uid == geteuid());
}

void control_accept(struct shim *shim)
{
	for (;;) {
		int fd = accept4(shim->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0) {
			/* Whatever else is wrong, the connection stays in the queue and would wake us at once. */
			if (errno != EAGAIN && errno != ECONNABORTED && errno != EINTR)
				shim->accept_at_ms = monotonic_ms() + ACCEPT_RETRY_MS;
			return;
		}
		struct client client = {.peer = {.fd = fd, .out_max = CONTROL_OUT_BYTES_MAX}, .connected_ms = monotonic_ms()};
		if (shim->client_count == CONTROL_CLIENTS_MAX || !credentials_fit(fd, &client)) {
			close(fd);
			continue;
		}
		shim->clients[shim->client_count++] = client;
	}
}

static void drop_client(struct shim *shim, size_t index)
{
	struct client *client = &shim->clients[index];
	if (client->attached)
		attach_change(shim, client, false);
	size_let_go(shim, client);
	bell_change(shim, client, false);
	peer_close(&client->peer);
	free(client->in);
	*client = shim->clients[--shim->client_count];
	memset(&shim->clients[shim->client_count], 0, sizeof *client);
}

static size_t length_max(const struct client *client)
{
	return client->authenticated ? CONTROL_FRAME_LENGTH_MAX : AUTH_FRAME_LENGTH_MAX;
}

/* Reads until there is a whole frame or nothing more; false when the connection is broken. */
static bool fill(struct client *client)
{
	const size_t want = length_max(client) + 4u;
	for (;;) {
		if (client->in_length == client->in_capacity) {
			size_t grown = client->in_capacity ? client->in_capacity * 2 : 512;
			if (grown > want)
				grown = want;
			if (grown == client->in_capacity)
				return true; /* full: there is a frame in it, or it is bad */
			u8 *moved = realloc(client->in, grown);
			if (!moved)
				return false;
			client->in = moved;
			client->in_capacity = grown;
		}
		ssize_t n = recv(client->peer.fd, client->in + client->in_length, client->in_capacity - client->in_length, MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN;
		if (n == 0) {
			client->hung_up = true; /* what came before is still heard */
			return true;
		}
		client->in_length += (size_t)n;
		struct frame frame;
		if (frame_parse(client->in, client->in_length, length_max(client), &frame) != FRAME_PARTIAL)
			return true;
	}
}

static bool run_frames(struct shim *shim, struct client *client)
{
	size_t done = 0;
	while (!client->peer.dead && !client->paused) {
		struct frame frame;
		enum frame_state state =
			frame_parse(client->in + done, client->in_length - done, length_max(client), &frame);
		if (state == FRAME_PARTIAL)
			break;
		if (state == FRAME_BAD) {
			command_refuse(shim, client, 0, REFUSED_BAD_MESSAGE, "not a frame of this protocol");
			return false;
		}
		command_run(shim, client, &frame);
		if (!client->paused)
			done += frame.bytes;
	}
	client->in_length -= done;
	memmove(client->in, client->in + done, client->in_length);
	if (client->in_length == 0) {
		free(client->in); /* idle clients hold no memory */
		client->in = NULL;
		client->in_capacity = 0;
	}
	return !client->peer.dead;
}

bool control_ready(struct shim *shim, size_t index, short events)
{
	struct client *client = &shim->clients[index];
	if (events & POLLOUT) {
		peer_flush(&client->peer);
		if (client->peer.doorbell_due && !peer_waiting(&client->peer))
			peer_doorbell(&client->peer, 0, journal_end(&shim->journal));
	}
	bool alive = !client->peer.dead;
	if (client->paused)
		client->hung_up |= (events & (POLLHUP | POLLERR)) != 0;
	else if (alive && (events & (POLLIN | POLLHUP | POLLERR)))
		alive = fill(client) && run_frames(shim, client);
	if (client->hung_up && !client->paused)
		alive = false;
	if (!alive)
		drop_client(shim, index);
	return alive;
}

void control_resume(struct shim *shim)
{
	for (size_t i = 0; i < shim->client_count; i++) {
		struct client *client = &shim->clients[i];
		if (!client->paused)
			continue;
		client->paused = false;
		if (!run_frames(shim, client) || (client->hung_up && !client->paused))
			drop_client(shim, i--);
	}
}

void control_flush(struct shim *shim)
{
	for (size_t i = 0; i < shim->client_count; i++)
		if (shim->clients[i].peer.lingering)
			peer_flush(&shim->clients[i].peer);
}

void control_expire(struct shim *shim, u64 now)
{
	for (size_t i = 0; i < shim->client_count; i++)
		if (shim->clients[i].peer.dead ||
		    (!shim->clients[i].authenticated && now >= shim->clients[i].connected_ms + AUTH_WAIT_MS))
			drop_client(shim, i--);
}
