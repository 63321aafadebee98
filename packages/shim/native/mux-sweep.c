/* See mux-sweep.h. */
#include "mux-sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

void mux_sweep_begin(struct mux_sweep *sweep, const char *path, const char *script, u64 until_ms)
{
	*sweep = (struct mux_sweep){.path = path, .script = script, .link = MUX_NO_LINK, .out_fd = -1,
				    .until_ms = until_ms, .failed = script ? NULL : "no-script"};
}

void mux_sweep_close(struct mux_sweep *sweep)
{
	mux_close(&sweep->link);
	if (sweep->out_fd >= 0)
		close(sweep->out_fd);
	sweep->out_fd = -1;
}

/* -EAGAIN: later. */
static int ask(struct mux_sweep *sweep)
{
	int failed = mux_connect(&sweep->link, sweep->path);
	if (failed)
		return failed;
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC | O_NOCTTY), out[2];
	if (null_fd < 0 || pipe2(out, O_CLOEXEC) != 0) {
		failed = -errno;
		if (null_fd >= 0)
			close(null_fd);
		mux_close(&sweep->link);
		return failed;
	}
	sweep->out_fd = out[0];
	const struct mux_request request = {.command = sweep->script, .fds = {null_fd, out[1], null_fd}};
	failed = mux_ask_session(&sweep->link, &request);
	close(null_fd);
	close(out[1]);
	if (!failed)
		failed = set_nonblocking(sweep->out_fd);
	if (failed)
		mux_sweep_close(sweep);
	return failed;
}

/* Noise of login files may come before the line that counts, and may be of any length. */
static void read_lines(struct mux_sweep *sweep)
{
	u8 byte;
	ssize_t n;
	while ((n = read(sweep->out_fd, &byte, 1)) == 1) {
		if (sweep->line_length < sizeof sweep->line)
			sweep->line[sweep->line_length++] = byte;
		if (byte != '\n')
			continue;
		sweep->is_told = mux_swept_parse(sweep->line, sweep->line_length, &sweep->found, &sweep->left);
		sweep->line_length = 0;
		if (sweep->is_told)
			return;
	}
	if (n == 0) {
		close(sweep->out_fd);
		sweep->out_fd = -1;
	}
}

static void hear_master(struct mux_sweep *sweep)
{
	int end = mux_receive(&sweep->link);
	struct mux_packet packet;
	enum frame_state state;
	while ((state = mux_next(&sweep->link, &packet)) == FRAME_WHOLE)
		if (packet.type == MASTER_FAILURE || packet.type == MASTER_DENIED)
			sweep->failed = "refused";
	if (state == FRAME_BAD)
		sweep->failed = "protocol";
	if (end != 0)
		mux_close(&sweep->link);
}

bool mux_sweep_turn(struct mux_sweep *sweep)
{
	if (!sweep->failed && !sweep->is_asked) {
		int failed = ask(sweep);
		sweep->is_asked = failed == 0;
		if (failed && failed != -EAGAIN)
			sweep->failed = "no-master";
	}
	if (sweep->link.fd >= 0)
		hear_master(sweep);
	/* Last: a line that is there counts, whatever else went wrong. */
	if (sweep->out_fd >= 0)
		read_lines(sweep);
	if (sweep->is_told || sweep->failed)
		return true;
	/* Both have ended: the one that ends first may not know why. */
	if (sweep->is_asked && sweep->out_fd < 0 && sweep->link.fd < 0)
		sweep->failed = "no-answer";
	else if (monotonic_ms() >= sweep->until_ms)
		sweep->failed = "timeout";
	return sweep->failed;
}

size_t mux_sweep_wait(const struct mux_sweep *sweep, struct pollfd *entries)
{
	size_t count = 0;
	if (sweep->out_fd >= 0)
		entries[count++] = (struct pollfd){.fd = sweep->out_fd, .events = POLLIN};
	if (sweep->link.fd >= 0)
		entries[count++] = (struct pollfd){.fd = sweep->link.fd, .events = POLLIN};
	return count;
}

u64 mux_sweep_due_ms(const struct mux_sweep *sweep, u64 now)
{
	u64 again = now + CONNECT_RETRY_MS;
	return !sweep->is_asked && again < sweep->until_ms ? again : sweep->until_ms;
}
