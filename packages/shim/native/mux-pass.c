/* See mux-pass.h. */
#include "mux-pass.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int mux_pass_open(struct mux_pass *pass, int from, int to)
{
	*pass = (struct mux_pass){.from = from, .to = to, .to_flags = fcntl(to, F_GETFL)};
	int failed = set_nonblocking(to);
	pass->buffer = malloc(PASS_BYTES + HOST_HEADER_BYTES_MAX);
	return failed ? failed : pass->buffer ? 0 : -ENOMEM;
}

size_t mux_pass_wait(const struct mux_pass *pass, struct pollfd *entries)
{
	if (pass->waiting_length > 0) {
		*entries = (struct pollfd){.fd = pass->to, .events = POLLOUT};
		return 1;
	}
	*entries = (struct pollfd){.fd = pass->from, .events = POLLIN};
	return pass->from >= 0;
}

static void end_input(struct mux_pass *pass)
{
	if (pass->from >= 0)
		close(pass->from);
	pass->from = -1;
}

/* The other side takes no more, for ever. */
static void give_up(struct mux_pass *pass)
{
	end_input(pass);
	if (pass->closes_to && pass->to >= 0)
		close(pass->to);
	pass->to = -1;
	pass->waiting_length = 0;
}

static bool write_waiting(struct mux_pass *pass)
{
	while (pass->waiting_length > 0) {
		ssize_t n = write(pass->to, pass->waiting, pass->waiting_length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return false;
		if (n < 0) {
			give_up(pass);
			return false;
		}
		pass->waiting += n;
		pass->waiting_length -= (size_t)n;
	}
	return true;
}

static bool is_readable(const struct mux_pass *pass)
{
	struct pollfd entry = {.fd = pass->from, .events = POLLIN};
	return pass->from >= 0 && poll(&entry, 1, 0) > 0;
}

/* False when nothing is there now. */
static bool read_more(struct mux_pass *pass)
{
	static u8 bytes[PASS_BYTES];
	if (!is_readable(pass))
		return false;
	ssize_t n = read(pass->from, bytes, sizeof bytes);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return false;
	pass->waiting = pass->buffer;
	if (n > 0) {
		pass->waiting_length = mux_header_pass(&pass->header, bytes, (size_t)n, pass->buffer);
		return true;
	}
	pass->waiting_length = mux_header_flush(&pass->header, pass->buffer);
	end_input(pass);
	return true;
}

void mux_pass_turn(struct mux_pass *pass)
{
	for (int i = 0; i < READS_PER_TURN; i++) {
		if (pass->to < 0 || !write_waiting(pass) || !read_more(pass))
			break;
	}
	if (pass->to >= 0)
		(void)write_waiting(pass);
	if (pass->closes_to && pass->from < 0 && pass->waiting_length == 0)
		give_up(pass);
}

bool mux_pass_is_idle(const struct mux_pass *pass)
{
	return pass->waiting_length == 0 && !is_readable(pass);
}

void mux_pass_close(struct mux_pass *pass)
{
	if (pass->to >= 0 && !pass->closes_to && pass->to_flags >= 0)
		(void)fcntl(pass->to, F_SETFL, pass->to_flags);
	give_up(pass);
	free(pass->buffer);
	*pass = MUX_NO_PASS;
}
