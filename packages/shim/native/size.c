/*
 * The size of a run's terminal: one has it at a time, by what was asked for last.
 *
 * Z1 A connection that asks to hold a size has it until it lets go or ends, however it ends: a killed gateway leaves no size
 *    behind. Then the one that asked before it has its size again, and after the last of them the run has its own.
 * Z2 RESIZE gives the run a size of its own, which lasts. It counts like any other wish: the newest one is in force.
 * Z3 The terminal is touched, and the journal says so, only when another size comes into force; RESIZE is always told of.
 */
#include "shim.h"

#include <sys/ioctl.h>

static struct size in_force(const struct shim *shim)
{
	struct size size = shim->own_size;
	u64 newest = shim->own_size_act;
	for (size_t i = 0; i < shim->client_count; i++)
		if (shim->clients[i].size_act > newest) {
			newest = shim->clients[i].size_act;
			size = shim->clients[i].size;
		}
	return size;
}

/* A terminal that is closed has no size; one that cannot be set is tried again at the next change. */
static void put_in_force(struct shim *shim, bool always)
{
	struct size size = in_force(shim);
	bool same = size.cols == shim->size.cols && size.rows == shim->size.rows;
	struct winsize wanted = {.ws_col = size.cols, .ws_row = size.rows};
	if ((same && !always) || shim->child.in_fd < 0 || ioctl(shim->child.in_fd, TIOCSWINSZ, &wanted) != 0)
		return;
	shim->size = size;
	record_size(shim, size.cols, size.rows);
	doorbell_ring(shim, 0);
}

void size_begin(struct shim *shim)
{
	shim->own_size = (struct size){.cols = shim->spawn.cols, .rows = shim->spawn.rows};
	shim->size = shim->own_size;
}

bool size_set(struct shim *shim, struct size size)
{
	if (!shim->spawn.pty)
		return false;
	shim->own_size = size;
	shim->own_size_act = ++shim->size_acts;
	put_in_force(shim, true);
	return true;
}

bool size_hold(struct shim *shim, struct client *client, struct size size)
{
	if (!shim->spawn.pty)
		return false;
	client->size = size;
	client->size_act = ++shim->size_acts;
	put_in_force(shim, false);
	return true;
}

void size_let_go(struct shim *shim, struct client *client)
{
	if (client->size_act == 0)
		return;
	client->size_act = 0;
	put_in_force(shim, false);
}
