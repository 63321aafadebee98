/*
 * `mux SOCKET`: a command on a host, as a passenger of an OpenSSH master. The shim executes it as the run's root, in place of ssh.
 *
 * Stages: CONNECTING → OPENING → OPEN → OVER. From OPENING it goes back to CONNECTING when the host refuses a session for now (sshd's
 * MaxSessions) and we may wait for one: never on another connection. The master does the work: it reads our input and writes our output by itself. What is
 * left is its word on the end, standard error with the header in it, and what we are told by signals:
 *   SIGTERM, SIGINT, SIGHUP   end what runs on the host, by a second session (mux-cancel.c), then leave
 *   SIGWINCH                  is told to the master
 *
 * A session that was asked for runs its command, even if we are gone before it opens. So a signal before that waits for the
 * opening, or for the loss, and the sweep comes after it.
 *
 * The status is the command's code. Where there is none it is 255, and the report says why: never the status alone.
 */
#include "mux.h"

#include "report.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define STATUS_WITHOUT_CODE 255

static int open_mux_signals(void)
{
	sigset_t all, wanted;
	sigfillset(&all);
	sigemptyset(&wanted);
	const int heard[] = {SIGTERM, SIGINT, SIGHUP, SIGWINCH};
	for (size_t i = 0; i < sizeof heard / sizeof *heard; i++)
		sigaddset(&wanted, heard[i]);
	if (sigprocmask(SIG_SETMASK, &all, NULL) != 0)
		return -errno;
	int fd = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

/* Printable ASCII of a text that is not ours. */
static void report_refusal(const struct mux *mux, const u8 *text, size_t length)
{
	char clean[REFUSAL_BYTES_MAX + 1];
	size_t kept = length < REFUSAL_BYTES_MAX ? length : REFUSAL_BYTES_MAX;
	for (size_t i = 0; i < kept; i++)
		clean[i] = text[i] >= ' ' && text[i] <= '~' ? (char)text[i] : '?';
	clean[kept] = '\0';
	report_line(mux->report_fd, "refused %s", clean);
}

static void end_session(struct mux *mux)
{
	mux->stage = MUX_OVER;
	mux_close(&mux->link);
	mux_terminal_restore(&mux->terminal);
	/* Nothing reads it any more. */
	mux_pass_close(&mux->in);
}

/* What was kept to be handed over is not needed any more. */
static void let_go(struct mux *mux)
{
	if (mux->is_released)
		return;
	mux->is_released = true;
	mux_streams_release(mux);
	mux_wipe_text(mux->setup.command);
}

/* The command did not run, or cannot be reached: nothing is swept. */
static void end_unopened(struct mux *mux)
{
	let_go(mux);
	end_session(mux);
	mux->cancel.is_done = true;
}

/* Asks for the session, or comes back later. */
static void try_to_connect(struct mux *mux)
{
	int failed = mux_connect(&mux->link, mux->path);
	if (failed == -EAGAIN) {
		/* A wait for a place has no limit but its own; that for a queue has one from here on. */
		if (mux->open_until_ms == UINT64_MAX)
			mux->open_until_ms = after_ms(monotonic_ms(), mux->setup.open_ms);
		return;
	}
	if (!failed) {
		const struct mux_request request = {
			.command = mux->setup.command,
			.terminal_type = mux->terminal.is_there ? mux->setup.terminal_type : NULL,
			.fds = {mux->fds[0], mux->fds[1], mux->fds[2]},
		};
		/* Before it: should we be killed in between, the command may run. */
		if (!mux->pause_ms)
			report_line(mux->report_fd, "opening");
		failed = mux_ask_session(&mux->link, &request);
	}
	if (!mux->setup.retry_ms)
		let_go(mux);
	mux->stage = MUX_OPENING;
	if (mux->pause_ms)
		mux->open_until_ms = after_ms(monotonic_ms(), mux->setup.open_ms);
	if (!failed)
		return;
	report_line(mux->report_fd, "no-master %s", error_name(-failed));
	mux->sentence = "it was not started: the connection to the host is gone";
	end_unopened(mux);
}

static u64 least(u64 left, u64 right)
{
	return left < right ? left : right;
}

/* For the starter, which watches for it: a file that says that this host gives no more sessions now. */
static void tell_crowded(const struct mux *mux)
{
	if (!mux->setup.crowded)
		return;
	int fd = report_open(mux->setup.crowded);
	if (fd >= 0)
		close(fd);
}

/* False: it is not asked for again. Who is told to end asks for nothing more. */
static bool wait_for_a_place(struct mux *mux)
{
	u64 now = monotonic_ms();
	if (!mux->setup.retry_ms || mux->cancel.signal_number)
		return false;
	if (!mux->pause_ms) {
		mux->ask_until_ms = after_ms(now, mux->setup.retry_ms);
		report_line(mux->report_fd, "crowded");
		tell_crowded(mux);
	}
	if (now >= mux->ask_until_ms)
		return false;
	mux->pause_ms = mux->pause_ms ? least(2 * mux->pause_ms, REFUSED_RETRY_MS_MAX) : REFUSED_RETRY_MS;
	mux->ask_at_ms = now + mux->pause_ms;
	mux->open_until_ms = UINT64_MAX;
	mux->stage = MUX_CONNECTING;
	mux_close(&mux->link);
	return true;
}

static void hear_packet(struct mux *mux, const struct mux_packet *packet)
{
	bool is_open = mux->stage == MUX_OPEN;
	switch (packet->type) {
	case MASTER_HELLO:
		if (packet->value != MASTER_VERSION)
			report_line(mux->report_fd, "protocol version %u", packet->value);
		break;
	case MASTER_ALIVE:
		if (packet->id == ALIVE_REQUEST_ID)
			mux_terminal_know_master(&mux->terminal, &mux->link, packet->value);
		break;
	case MASTER_OPENED:
		if (is_open || packet->id != SESSION_REQUEST_ID)
			break;
		mux->stage = MUX_OPEN;
		mux->session = packet->value;
		let_go(mux);
		report_line(mux->report_fd, "opened %u", packet->value);
		mux_terminal_make_raw(&mux->terminal);
		break;
	case MASTER_DENIED:
	case MASTER_FAILURE:
		if (is_open || packet->id != SESSION_REQUEST_ID)
			break;
		if (packet->type == MASTER_FAILURE && wait_for_a_place(mux))
			break;
		report_refusal(mux, packet->text, packet->text_length);
		mux->sentence = "it was not started: the host gives no more sessions on this connection";
		end_unopened(mux);
		break;
	case MASTER_TTY_FAILED:
		if (!is_open || packet->id != mux->session)
			break;
		report_line(mux->report_fd, "terminal-refused");
		mux_terminal_restore(&mux->terminal);
		break;
	case MASTER_EXIT:
		if (!is_open || packet->id != mux->session || mux->has_code)
			break;
		mux->has_code = true;
		mux->code = packet->value;
		report_line(mux->report_fd, "exit %u", packet->value);
		break;
	default: /* of a newer master, and not about us */
		break;
	}
}

static void hear_master(struct mux *mux)
{
	int end = mux_receive(&mux->link);
	struct mux_packet packet;
	enum frame_state state;
	while ((state = mux_next(&mux->link, &packet)) == FRAME_WHOLE)
		hear_packet(mux, &packet);
	/* Over, or asked for again on another connection to the same master. */
	if (mux->stage == MUX_OVER || mux->stage == MUX_CONNECTING || (end == 0 && state != FRAME_BAD))
		return;
	if (state == FRAME_BAD)
		report_line(mux->report_fd, "protocol packet");
	end_session(mux);
	if (mux->has_code)
		return;
	const char *master = mux_look_for_master(mux->path);
	report_line(mux->report_fd, "ended-without-code %s", master);
	mux->sentence = strcmp(master, "master-alive") == 0
				? "it was ended by a signal, or the host closed its session"
				: "the connection to the host was lost; what is left there is ended at the next contact";
}

static void hear_signals(struct mux *mux)
{
	struct signalfd_siginfo info;
	while (read(mux->signal_fd, &info, sizeof info) == (ssize_t)sizeof info) {
		int number = (int)info.ssi_signo;
		if (number == SIGWINCH) {
			mux_terminal_tell_size(&mux->terminal);
		} else if (!mux->cancel.signal_number) {
			mux->cancel.signal_number = number;
			report_line(mux->report_fd, "cancelling %d", number);
		}
	}
}

static void pass_streams(struct mux *mux)
{
	bool had_header = mux->err.header.mark_length == 0;
	mux_pass_turn(&mux->in);
	mux_pass_turn(&mux->err);
	mux_pass_turn(&mux->out);
	if (!had_header && mux->err.header.found[0])
		report_line(mux->report_fd, "header %s", mux->err.header.found);
	if (mux->setup.payload && mux->in.waiting != (const u8 *)mux->setup.payload && mux->in.waiting_length == 0) {
		mux_wipe_text(mux->setup.payload);
		mux->setup.payload = NULL;
	}
}

static void check_limit(struct mux *mux)
{
	const bool is_told = mux->cancel.signal_number != 0;
	if (mux->stage == MUX_CONNECTING && is_told) {
		report_line(mux->report_fd, "not-sent");
		end_unopened(mux);
	}
	if (mux->stage > MUX_OPENING || monotonic_ms() < mux->open_until_ms)
		return;
	report_line(mux->report_fd, mux->stage == MUX_OPENING ? "open-timeout" : "no-master EAGAIN");
	mux->sentence = "the host did not open a session in time";
	/* What does not open does not sweep either: the gateway does it, later. */
	if (is_told)
		report_line(mux->report_fd, "swept unconfirmed open-timeout");
	end_unopened(mux);
}

static int wait_ms(const struct mux *mux)
{
	u64 now = monotonic_ms(), due = UINT64_MAX;
	if (mux->stage == MUX_CONNECTING)
		due = least(mux->ask_at_ms > now ? mux->ask_at_ms : now + CONNECT_RETRY_MS, mux->open_until_ms);
	else if (mux->stage == MUX_OPENING)
		due = mux->open_until_ms;
	due = least(due, mux_cancel_due_ms(mux, now));
	if (mux->leave_ms)
		due = least(due, mux->leave_ms);
	if (due == UINT64_MAX)
		return sleep_cap_ms(-1);
	return sleep_cap_ms(due <= now ? 0 : (int)least(due - now, MUX_MS_MAX));
}

static void wait_for_something(struct mux *mux)
{
	struct pollfd entries[8];
	size_t count = 0;
	entries[count++] = (struct pollfd){.fd = mux->signal_fd, .events = POLLIN};
	if (mux->link.fd >= 0)
		entries[count++] = (struct pollfd){.fd = mux->link.fd, .events = POLLIN};
	count += mux_pass_wait(&mux->in, entries + count);
	count += mux_pass_wait(&mux->err, entries + count);
	count += mux_pass_wait(&mux->out, entries + count);
	if (mux->cancel.is_sweeping)
		count += mux_sweep_wait(&mux->cancel.sweep, entries + count);
	(void)poll(entries, count, wait_ms(mux));
}

/* After the master's end nothing more comes: what is there was written before it. */
static bool is_done(const struct mux *mux)
{
	if (mux->cancel.signal_number && !mux->cancel.is_done)
		return false;
	if (mux->leave_ms && monotonic_ms() >= mux->leave_ms)
		return true;
	return mux->stage == MUX_OVER && mux_pass_is_idle(&mux->err) && mux_pass_is_idle(&mux->out);
}

static void run(struct mux *mux)
{
	do {
		if (mux->stage == MUX_CONNECTING && !mux->cancel.signal_number && monotonic_ms() >= mux->ask_at_ms)
			try_to_connect(mux);
		wait_for_something(mux);
		hear_signals(mux);
		/* Before the master's word on the end: the header is older than the code. */
		pass_streams(mux);
		if (mux->link.fd >= 0)
			hear_master(mux);
		check_limit(mux);
		mux_cancel_turn(mux);
	} while (!is_done(mux));
}

/* Everything that can be wrong before a master is asked. NULL: nothing. */
static const char *prepare(struct mux *mux)
{
	const char *wrong = mux_setup_read(&mux->setup);
	if (mux->setup.report && (mux->report_fd = report_open(mux->setup.report)) < 0)
		wrong = "no report can be written";
	if (wrong)
		return wrong;
	mux_terminal_open(&mux->terminal);
	if (mux->terminal.is_there && mux->setup.payload)
		return "a terminal takes no payload";
	if (mux->terminal.is_there)
		mux->setup.nonce = NULL;
	mux->signal_fd = open_mux_signals();
	if (mux->signal_fd < 0)
		return "no signals";
	if (mux_streams_open(mux) != 0)
		return "no pipes, or no nonce";
	return NULL;
}

int mux_main(const char *path)
{
	static struct mux mux = {.report_fd = -1, .signal_fd = -1};
	mux.path = path;
	mux.link = MUX_NO_LINK;
	const char *wrong = prepare(&mux);
	if (wrong) {
		report_line(mux.report_fd, "bad-setup %s", wrong);
		fprintf(stderr, "clawdfather-shim mux: %s\n", wrong);
		return STATUS_WITHOUT_CODE;
	}
	mux.open_until_ms = after_ms(monotonic_ms(), mux.setup.open_ms);
	run(&mux);
	mux_terminal_restore(&mux.terminal);
	mux_streams_close(&mux);
	mux_close(&mux.link);
	if (mux.sentence && !mux.cancel.signal_number)
		fprintf(stderr, "clawdfather: %s\n", mux.sentence);
	return mux.has_code && mux.code < STATUS_WITHOUT_CODE ? (int)mux.code : STATUS_WITHOUT_CODE;
}
