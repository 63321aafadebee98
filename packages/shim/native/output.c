/*
 * What the command says: from its pipes or terminal into the journal, and the doorbell for whoever waits.
 *
 * A read that cannot be appended is held, and nothing more is read until it is in: a full disk blocks the
 * command, it never drops a byte (J4). A run that has used up its share of the rate is not read from for a while
 * (throttle.h). Doorbells: small output rings at once while tokens last, so that typing
 * does not wait behind a rule for bulk; bulk rings every few milliseconds.
 */
#include "shim.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

int output_prepare(struct shim *shim)
{
	void *buffer = mmap(NULL, READ_BYTES_MAX, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buffer == MAP_FAILED)
		return -errno;
	shim->buffer = buffer;
	/* A frame fits into a segment, so a journal that is held can always take one once all is consumed (J3). */
	u64 room = shim->spawn.segment_bytes - SEGMENT_HEADER_BYTES - FRAME_HEAD_BYTES;
	shim->read_bytes_max = room < READ_BYTES_MAX ? (size_t)room : READ_BYTES_MAX;
	return 0;
}

void output_start(struct shim *shim)
{
	shim->outputs[STREAM_OUT].fd = shim->child.out_fd;
	shim->outputs[STREAM_ERR].fd = shim->child.err_fd;
	shim->doorbell_tokens = DOORBELL_BURST;
	shim->doorbell_tokens_ms = monotonic_ms();
	shim->output_ms = shim->doorbell_tokens_ms;
}

void output_release(struct shim *shim)
{
	if (shim->held > 0 || shim->buffer_touched <= BUFFER_KEPT_BYTES)
		return;
	(void)madvise(shim->buffer + BUFFER_KEPT_BYTES, READ_BYTES_MAX - BUFFER_KEPT_BYTES, MADV_DONTNEED);
	shim->buffer_touched = BUFFER_KEPT_BYTES;
}

static void close_output(struct shim *shim, enum stream stream)
{
	struct output *output = &shim->outputs[stream];
	if (output->fd < 0)
		return;
	if (output->fd == shim->child.in_fd)
		shim->child.in_fd = -1, shim->input_open = false;
	close(output->fd);
	output->fd = -1;
}

void output_close(struct shim *shim)
{
	close_output(shim, STREAM_OUT);
	close_output(shim, STREAM_ERR);
}

static void set_blocked(struct shim *shim, int error)
{
	u64 now = monotonic_ms();
	shim->blocked_retry_ms = now + BLOCKED_RETRY_MS;
	if (shim->blocked == (error != 0))
		return;
	shim->blocked = error != 0;
	shim->blocked_error = error;
	if (!shim->blocked)
		shim->output_ms = now; /* the no-output clock was paused */
	tell_blocked(shim, NULL);
}

/* Appends what is in the buffer; on failure it stays held. Records that wait for room are older and go first. */
static bool journal_held(struct shim *shim)
{
	int failed = records_due(shim);
	if (!failed)
		failed = journal_output(&shim->journal, shim->held_stream, shim->buffer, shim->held);
	set_blocked(shim, -failed);
	if (failed)
		return false;
	size_t bytes = shim->held;
	shim->held = 0;
	shim->output_ms = monotonic_ms();
	shim->output_us = wall_us();
	throttle_charge(&shim->throttle, bytes);
	doorbell_ring(shim, bytes);
	return true;
}

bool output_retry(struct shim *shim)
{
	return shim->held == 0 || journal_held(shim);
}

/* What may wait in it, whoever made it larger: we did, or the command itself. A terminal has no such size, and holds less. */
static size_t pipe_bytes(const struct output *output)
{
	int bytes = output->fd < 0 ? -1 : fcntl(output->fd, F_GETPIPE_SZ);
	return bytes > 0 ? (size_t)bytes : READ_BYTES_MAX;
}

/* A pipe that ran full is made larger, once; ordinary users have a page limit, so this may fail. */
static void grow_pipe(struct output *output, size_t got)
{
	if (output->grown || got < PIPE_DEFAULT_BYTES)
		return;
	if (pipe_bytes(output) < PIPE_GROWN_BYTES)
		(void)fcntl(output->fd, F_SETPIPE_SZ, (int)PIPE_GROWN_BYTES);
	output->grown = true;
}

/* Terminals give at most a page per read: gather, so that a screenful is one frame. */
static ssize_t read_some(struct shim *shim, struct output *output)
{
	size_t got = 0;
	for (;;) {
		ssize_t n = read(output->fd, shim->buffer + got, shim->read_bytes_max - got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return got > 0 ? (ssize_t)got : n;
		got += (size_t)n;
		if (!shim->spawn.pty || got >= PIPE_DEFAULT_BYTES || got == shim->read_bytes_max)
			return (ssize_t)got;
	}
}

enum take { TOOK, TOOK_NOTHING, TOOK_END, TOOK_BLOCKED };

static enum take take_output(struct shim *shim, enum stream stream, size_t *bytes)
{
	struct output *output = &shim->outputs[stream];
	if (!output_retry(shim))
		return TOOK_BLOCKED;
	if (output->fd < 0)
		return TOOK_END;
	ssize_t n = read_some(shim, output);
	if (n < 0 && errno == EAGAIN)
		return TOOK_NOTHING;
	if (n <= 0) {
		/* A terminal says EIO when its last slave is closed. */
		close_output(shim, stream);
		return TOOK_END;
	}
	if ((size_t)n > shim->buffer_touched)
		shim->buffer_touched = (size_t)n;
	if (!shim->spawn.pty)
		grow_pipe(output, (size_t)n);
	shim->held = (size_t)n;
	shim->held_stream = (u8)(stream + 1);
	*bytes += (size_t)n;
	return journal_held(shim) ? TOOK : TOOK_BLOCKED;
}

void output_ready(struct shim *shim, enum stream stream)
{
	size_t bytes = 0;
	for (int turn = 0; turn < READS_PER_TURN; turn++)
		if (shim->throttle.until_ms || take_output(shim, stream, &bytes) != TOOK)
			return;
}

static u64 bytes_waiting(const struct shim *shim)
{
	u64 waiting = shim->held;
	for (int stream = 0; stream < STREAM_COUNT; stream++) {
		int n = 0;
		if (shim->outputs[stream].fd >= 0 && ioctl(shim->outputs[stream].fd, FIONREAD, &n) == 0 && n > 0)
			waiting += (u64)n;
	}
	return waiting;
}

/* True when all there was has been taken, or so much that a living leftover must be writing on. */
static bool drain(struct shim *shim, enum stream stream, bool *blocked)
{
	size_t bytes = 0;
	const size_t enough = pipe_bytes(&shim->outputs[stream]) + PIPE_DEFAULT_BYTES;
	enum take took = TOOK;
	while (took == TOOK && bytes <= enough)
		took = take_output(shim, stream, &bytes);
	*blocked |= took == TOOK_BLOCKED;
	return took == TOOK || took == TOOK_END || (took == TOOK_NOTHING && !shim->spawn.pty);
}

/*
 * The root is gone, so what it wrote is in the pipes now: everything up to "nothing there" is its. A living
 * leftover may go on writing for ever, hence the bound of one full pipe. A terminal hands over late: it is
 * drained to its end, or for PTY_DRAIN_MS. While the disk is full it stays where it is (J4).
 */
bool output_drained(struct shim *shim, u64 now)
{
	bool blocked = false, all = true;
	shim->journal.draining = true;
	for (int stream = 0; stream < STREAM_COUNT && !blocked; stream++)
		all &= drain(shim, (enum stream)stream, &blocked);
	shim->journal.draining = false;
	if (blocked) {
		shim->undrained = bytes_waiting(shim);
		return ending_gives_up(shim, shim->blocked_error, now);
	}
	shim->undrained = 0;
	return all || now >= shim->drain_until_ms;
}

/* What the journal got since the last doorbell, if it is little: its reader need not open the file for a key's echo. */
static size_t read_tail(const struct shim *shim, u64 length, u8 tail[DOORBELL_TAIL_BYTES_MAX])
{
	u64 from = shim->doorbell_told;
	if (from >= length || length - from > DOORBELL_TAIL_BYTES_MAX)
		return 0;
	ssize_t n = journal_read_back(&shim->journal, from, tail, (size_t)(length - from));
	return n > 0 && (u64)n == length - from ? (size_t)n : 0;
}

static void ring_now(struct shim *shim, u64 now)
{
	shim->doorbell_pending = false;
	shim->doorbell_at_ms = now + DOORBELL_BULK_MS;
	u64 length = journal_end(&shim->journal);
	u8 tail[DOORBELL_TAIL_BYTES_MAX];
	size_t tail_length = shim->client_count > 0 ? read_tail(shim, length, tail) : 0;
	shim->doorbell_told = length;
	if (shim->bell_count == 0)
		peer_doorbell(&shim->link, shim->handle, length);
	for (size_t i = 0; i < shim->client_count; i++)
		if (shim->clients[i].watching || shim->clients[i].bell)
			peer_doorbell_with(&shim->clients[i].peer, length, tail, tail_length);
}

void doorbell_ring(struct shim *shim, size_t bytes)
{
	u64 now = monotonic_ms();
	u64 refill = (now - shim->doorbell_tokens_ms) * DOORBELL_PER_MS;
	if (refill > 0) {
		shim->doorbell_tokens = (u32)(shim->doorbell_tokens + refill > DOORBELL_BURST
						      ? DOORBELL_BURST
						      : shim->doorbell_tokens + refill);
		shim->doorbell_tokens_ms = now;
	}
	if (bytes < DOORBELL_SMALL_BYTES && shim->doorbell_tokens > 0) {
		shim->doorbell_tokens--;
		ring_now(shim, now);
		return;
	}
	if (now >= shim->doorbell_at_ms)
		ring_now(shim, now);
	else
		shim->doorbell_pending = true;
}

/* Somebody sent input and waits for what comes of it: that is not bulk, however often it happens. */
void doorbell_expect(struct shim *shim)
{
	if (shim->doorbell_tokens < DOORBELL_BURST)
		shim->doorbell_tokens++;
}

void doorbell_due(struct shim *shim)
{
	u64 now = monotonic_ms();
	if (shim->doorbell_pending && now >= shim->doorbell_at_ms)
		ring_now(shim, now);
}
