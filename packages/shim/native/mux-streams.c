/*
 * Which descriptors are handed to the master, and what passes through the client.
 *
 *   stdin   as it is; a pipe of ours when bytes have to go before it
 *   stdout  as it is; a pipe of ours when it is a terminal
 *   stderr  a pipe of ours
 *
 * Hazards: the master makes what it is handed non-blocking, except terminals. One write to a terminal that is not read would stop
 * every session of that master. So it writes to pipes only, and a terminal is handed over to be read.
 * When we leave before the command ends, the master closes what it was handed for input and output, but keeps what it was
 * handed for errors until the host closes the session. So that is never our own.
 */
#include "mux.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* A pipe whose read end we keep, to pass it on to `to`. */
static int pass_output(struct mux_pass *pass, int to, int *handed)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) != 0)
		return -errno;
	*handed = ends[1];
	return mux_pass_open(pass, ends[0], to);
}

/* A pipe whose write end we keep: first the payload, then what we are told. */
static int pass_input(struct mux *mux)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) != 0)
		return -errno;
	mux->fds[0] = ends[0];
	int failed = mux_pass_open(&mux->in, 0, ends[1]);
	mux->in.closes_to = true;
	mux->in.waiting = (const u8 *)mux->setup.payload;
	mux->in.waiting_length = strlen(mux->setup.payload);
	return failed;
}

int mux_streams_open(struct mux *mux)
{
	int failed = 0;
	mux->in = mux->err = mux->out = MUX_NO_PASS;
	for (int i = 0; i < 3; i++)
		mux->fds[i] = i;
	if (mux->setup.payload)
		failed = pass_input(mux);
	if (!failed && isatty(1))
		failed = pass_output(&mux->out, 1, &mux->fds[1]);
	if (!failed)
		failed = pass_output(&mux->err, 2, &mux->fds[2]);
	if (!failed && mux->setup.nonce && !mux_header_begin(&mux->err.header, mux->setup.nonce))
		failed = -EINVAL;
	return failed;
}

void mux_streams_release(struct mux *mux)
{
	/* Our end of the input would hide that nothing reads it any more. A terminal stays: its modes and its size are our care. */
	if (mux->fds[0] > 0 || !mux->terminal.is_there)
		close(mux->fds[0]);
	for (int i = 1; i < 3; i++)
		if (mux->fds[i] != i)
			close(mux->fds[i]);
}

void mux_streams_close(struct mux *mux)
{
	mux_pass_close(&mux->in);
	mux_pass_close(&mux->err);
	mux_pass_close(&mux->out);
}
