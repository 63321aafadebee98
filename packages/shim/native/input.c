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

static void drop_queue(struct shim *shim)
{
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
	u32 before = shim->tty_line_bytes;
	for (size_t i = 0; i < length; i++)
		shim->tty_line_bytes = bytes[i] == '\n' || bytes[i] == '\r' ? 0 : shim->tty_line_bytes + 1;
	if (shim->tty_line_bytes > TTY_LINE_BYTES_MAX && before <= TTY_LINE_BYTES_MAX)
		record_note(shim, "line-too-long", NULL, (i64)shim->tty_line_bytes);
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
		if (n < 0)
			return -1;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

static void end_if_asked(struct shim *shim)
{
	if (!shim->eof_asked || shim->input_length > shim->input_done || !shim->input_open)
		return;
	struct termios mode;
	if (shim->spawn.pty) {
		/* A terminal has no half-close: end of file is a key, and only a cooked terminal knows it. */
		if (tcgetattr(shim->child.in_fd, &mode) == 0 && (mode.c_lflag & ICANON))
			(void)write_now(shim, &mode.c_cc[VEOF], 1);
		shim->eof_asked = false;
		return;
	}
	input_close(shim);
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
		if (!shim->input)
			return false;
	}
	memmove(shim->input, shim->input + shim->input_done, shim->input_length - shim->input_done);
	shim->input_length -= shim->input_done;
	shim->input_done = 0;
	memcpy(shim->input + shim->input_length, bytes, length);
	shim->input_length += length;
	return true;
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
	if (offset == OFFSET_TYPED)
		shim->typed_bytes += length;
	else
		shim->input_offset += length;
	shim->input_unjournalled = true;
	return INPUT_TAKEN;
}

enum input_result input_eof(struct shim *shim, u64 offset)
{
	if (offset != OFFSET_TYPED && offset > shim->input_offset)
		return INPUT_GAP;
	if (!shim->input_open)
		return INPUT_TAKEN; /* asking twice is harmless */
	shim->eof_asked = true;
	shim->input_unjournalled = true;
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

/* One frame for all that was accepted in this turn of the loop: how much, never what. */
void input_journal(struct shim *shim)
{
	if (!shim->input_unjournalled)
		return;
	char text[128];
	struct json json;
	json_begin(&json, text, sizeof text);
	json_open(&json, NULL, '{');
	json_u64(&json, "offset", shim->input_offset);
	json_u64(&json, "typed", shim->typed_bytes);
	json_bool(&json, "eof", !shim->input_open || shim->eof_asked);
	json_close(&json, '}');
	if (journal_append(&shim->journal, KIND_INPUT, text, json.length) == 0)
		shim->input_unjournalled = false;
}
