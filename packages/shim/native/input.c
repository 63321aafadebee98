/*
 * What the command is told: control connections → its stdin or terminal.
 *
 * Two kinds (I1). Bytes at an offset form one stream: what lies below the accepted offset was delivered before and
 * is dropped, what lies above is a gap and refused. Typed bytes are appended as they come and counted apart.
 * At most INPUT_BYTES_MAX wait for the command; then the sender is not read from.
 */
#include "shim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/* What was typed may be a password. */
static void drop_queue(struct shim *shim)
{
	if (shim->input)
		wipe(shim->input, shim->input_length);
	free(shim->input);
	shim->input = NULL;
	shim->input_length = shim->input_done = 0;
}

void input_close(struct shim *shim)
{
	drop_queue(shim);
	shim->input_open = false;
	if (!shim->spawn.pty && shim->child.in_fd >= 0) {
		close(shim->child.in_fd);
		shim->child.in_fd = -1;
	}
}

/* I2: in canonical mode the kernel keeps one page of an unfinished line and drops the rest. Say so, once a line. */
static void watch_line(struct shim *shim, const u8 *bytes, size_t length)
{
	struct termios mode;
	if (!shim->spawn.pty || length == 0 || tcgetattr(shim->child.in_fd, &mode) != 0)
		return;
	if (!(mode.c_lflag & ICANON)) {
		shim->tty_line_bytes = 0;
		return;
	}
	u32 *line = &shim->tty_line_bytes;
	for (size_t i = 0; i < length; i++) {
		*line = bytes[i] == '\n' || bytes[i] == '\r' ? 0 : *line + 1;
		if (*line == TTY_LINE_BYTES_MAX + 1)
			record_note(shim, "line-too-long", NULL, (i64)TTY_LINE_BYTES_MAX);
	}
}

/* Writes what the command takes now; returns how much, or -1 when it takes no more for ever. */
static ssize_t write_now(struct shim *shim, const u8 *bytes, size_t length)
{
	size_t done = 0;
	while (done < length) {
		ssize_t n = write(shim->child.in_fd, bytes + done, length - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n <= 0)
			return -1;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

/* Room is checked by the caller. */
static bool enqueue(struct shim *shim, const u8 *bytes, size_t length)
{
	watch_line(shim, bytes, length);
	if (shim->input_length == shim->input_done) {
		ssize_t n = write_now(shim, bytes, length);
		if (n < 0) {
			input_close(shim);
			return false;
		}
		bytes += n;
		length -= (size_t)n;
		if (length == 0)
			return true;
		drop_queue(shim);
	}
	if (!shim->input) {
		shim->input = malloc(INPUT_BYTES_MAX);
		if (!shim->input) {
			input_close(shim); /* a part may be delivered already: no more, rather than twice */
			return false;
		}
	}
	memmove(shim->input, shim->input + shim->input_done, shim->input_length - shim->input_done);
	shim->input_length -= shim->input_done;
	shim->input_done = 0;
	memcpy(shim->input + shim->input_length, bytes, length);
	shim->input_length += length;
	return true;
}

/*
 * A terminal has no half-close: end of file is a key, and only a cooked terminal knows it. On an unfinished line the
 * first one hands over the line, the second one is the end.
 */
static void end_terminal(struct shim *shim)
{
	struct termios mode;
	shim->eof_asked = false;
	if (tcgetattr(shim->child.in_fd, &mode) != 0 || !(mode.c_lflag & ICANON))
		return;
	const u8 keys[2] = {mode.c_cc[VEOF], mode.c_cc[VEOF]};
	size_t count = shim->tty_line_bytes > 0 ? 2 : 1;
	(void)enqueue(shim, keys, count);
	shim->tty_line_bytes = 0;
}

static void end_if_asked(struct shim *shim)
{
	if (!shim->eof_asked || shim->input_length > shim->input_done || !shim->input_open)
		return;
	if (shim->spawn.pty)
		end_terminal(shim);
	else
		input_close(shim);
}

enum input_result input_offer(struct shim *shim, u64 offset, const u8 *bytes, size_t length)
{
	if (offset != OFFSET_TYPED) {
		if (offset > shim->input_offset)
			return INPUT_GAP;
		u64 known = shim->input_offset - offset;
		if (known >= length)
			return INPUT_TAKEN;
		bytes += known;
		length -= (size_t)known;
	}
	if (!shim->input_open || (shim->eof_asked && !shim->spawn.pty))
		return INPUT_CLOSED;
	if (shim->input_length - shim->input_done + length > INPUT_BYTES_MAX)
		return INPUT_WAIT;
	if (!enqueue(shim, bytes, length))
		return INPUT_CLOSED;
	if (offset == OFFSET_TYPED) {
		shim->typed_bytes += length;
		if (!shim->typed_record_ms)
			shim->typed_record_ms = monotonic_ms() + TYPED_RECORD_MS;
	} else {
		shim->input_offset += length;
		shim->input_due = true;
	}
	doorbell_expect(shim);
	return INPUT_TAKEN;
}

enum input_result input_eof(struct shim *shim, u64 offset)
{
	if (offset != OFFSET_TYPED && offset > shim->input_offset)
		return INPUT_GAP;
	if (!shim->input_open)
		return INPUT_TAKEN; /* asking twice is harmless */
	shim->eof_asked = true;
	shim->input_due = true;
	end_if_asked(shim);
	return INPUT_TAKEN;
}

void input_ready(struct shim *shim)
{
	if (shim->input_length > shim->input_done) {
		ssize_t n = write_now(shim, shim->input + shim->input_done, shim->input_length - shim->input_done);
		if (n < 0) {
			input_close(shim);
			return;
		}
		shim->input_done += (size_t)n;
		if (shim->input_done == shim->input_length)
			drop_queue(shim);
	}
	end_if_asked(shim);
}
