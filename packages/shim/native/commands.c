/*
 * What clients of the control socket may ask for (O3, O4).
 *
 * Every command carries an epoch. The owner's claim must raise it, everything else must match it: a supervisor
 * that was frozen while another took the run over is refused, whatever it sends.
 */
#include "shim.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define OK_ANSWERER 1u
#define OK_PLACE_SHIFT 1

#define OK_BYTES 25u

static void fill_ok(const struct shim *shim, u8 payload[OK_BYTES], u8 flags)
{
	put_uint(payload, shim->epoch, 8);
	put_uint(payload + 8, shim->input_offset, 8);
	payload[16] = flags;
	put_uint(payload + 17, journal_end(&shim->journal), 8);
}

static void answer_ok(struct shim *shim, struct client *client, u32 id, u8 flags)
{
	u8 payload[OK_BYTES];
	fill_ok(shim, payload, flags);
	peer_send(&client->peer, MSG_OK, id, payload, sizeof payload);
}

/*
 * A key on a terminal is mostly followed by its echo: the answer waits for the doorbell a moment, so that the sender is
 * woken once and not while the command still thinks.
 */
static void answer_key(struct shim *shim, struct client *client, u32 id)
{
	u8 payload[OK_BYTES];
	fill_ok(shim, payload, 0);
	peer_send_lazily(&client->peer, MSG_OK, id, payload, sizeof payload);
	shim->linger_until_ms = monotonic_ms() + LINGER_MS;
}

void command_refuse(struct shim *shim, struct client *client, u32 id, enum refusal code, const char *why)
{
	u8 payload[12];
	put_uint(payload, code, 2);
	put_uint(payload + 2, shim->epoch, 8);
	put_uint(payload + 10, strlen(why), 2);
	peer_send2(&client->peer, MSG_REFUSED, id, payload, sizeof payload, why, strlen(why));
}

static void hello(struct shim *shim, struct client *client, u32 id)
{
	u8 payload[44];
	put_uint(payload, PROTOCOL_VERSION, 2);
	payload[2] = (u8)shim->phase;
	payload[3] = (u8)((shim->spawn.pty ? 1 : 0) | (shim->input_open ? 2 : 0) | (shim->blocked ? 4 : 0));
	put_uint(payload + 4, shim->epoch, 8);
	put_uint(payload + 12, shim->input_offset, 8);
	put_uint(payload + 20, shim->typed_bytes, 8);
	put_uint(payload + 28, journal_end(&shim->journal), 8);
	put_uint(payload + 36, (u64)shim->self.pid, 4);
	put_uint(payload + 40, (u64)shim->root, 4);
	peer_send(&client->peer, MSG_HELLO, id, payload, sizeof payload);
}

static void authenticate(struct shim *shim, struct client *client, const struct frame *frame)
{
	const char *wrong = NULL;
	enum refusal code = REFUSED_BAD_MESSAGE;
	if (frame->type != MSG_AUTH || frame->length != 18) {
		wrong = "the first message must be AUTH";
	} else if (frame->payload[0] != PROTOCOL_VERSION || frame->payload[1] != 0) {
		wrong = "this shim speaks version 1";
		code = REFUSED_BAD_VERSION;
	} else {
		/* Every byte is looked at, whatever the first ones are. */
		u8 differs = 0;
		for (size_t i = 0; i < 16; i++)
			differs |= (u8)(frame->payload[2 + i] ^ shim->journal.segment_head[48 + i]);
		if (differs) {
			wrong = "wrong cookie";
			code = REFUSED_BAD_COOKIE;
		}
	}
	if (wrong) {
		command_refuse(shim, client, frame->id, code, wrong);
		client->peer.dead = true;
		return;
	}
	client->authenticated = true;
	hello(shim, client, frame->id);
}

/* The owner's pidfd, -ESRCH when it is proven to be gone, another -errno when nobody can tell. */
static int open_owner(const struct owner *owner)
{
	int pidfd = sys_pidfd_open(owner->pid);
	struct proc_stat seen;
	/* A pid that cannot be looked at is watched as it is: should it be another's by now, ours is gone anyway. */
	if (pidfd < 0 || proc_stat_read(owner->pid, &seen) != 0 || seen.start_ticks == owner->start_ticks)
		return pidfd;
	close(pidfd);
	return -ESRCH;
}

/* T9: with policy `kill` the owner is watched by its pidfd; its death starts the lease's clock. */
void owner_watch(struct shim *shim)
{
	if (shim->owner_pidfd >= 0)
		close(shim->owner_pidfd);
	shim->owner_pidfd = -1;
	shim->owner_lost_at_ms = 0;
	if (shim->owner_loss != OWNER_LOSS_KILL || shim->owner.pid <= 0)
		return;
	int pidfd = open_owner(&shim->owner);
	if (pidfd >= 0)
		shim->owner_pidfd = pidfd;
	else if (pidfd == -ESRCH) /* otherwise we cannot know, and uncertainty never kills */
		shim->owner_lost_at_ms = monotonic_ms() + shim->spawn.lease_ms;
}

static void claim(struct shim *shim, struct client *client, const struct frame *frame)
{
	struct claim asked;
	if (!claim_parse(frame->payload, frame->length, &asked)) {
		command_refuse(shim, client, frame->id, REFUSED_BAD_MESSAGE, "malformed CLAIM");
		return;
	}
	if (asked.epoch <= shim->epoch) {
		command_refuse(shim, client, frame->id, REFUSED_STALE_EPOCH, "a claim must raise the epoch");
		return;
	}
	shim->epoch = asked.epoch;
	shim->owner = asked.owner;
	record_claim(shim);
	if (client->pid <= 0)
		shim->owner.pid = 0; /* in another pid namespace: its pid means nothing here */
	owner_watch(shim);
	answer_ok(shim, client, frame->id, 0);
}

static void deadlines(struct shim *shim, struct reader *reader)
{
	u64 now = monotonic_ms();
	u64 overall = read_uint(reader, 8), silence = read_uint(reader, 8);
	if (reader->bad)
		return;
	if (overall != KEEP_U64)
		shim->overall_at_ms = overall ? after_ms(now, overall) : 0;
	if (silence != KEEP_U64) {
		shim->no_output_ms = silence;
		shim->output_ms = now;
	}
}

static void policy(struct shim *shim, struct reader *reader)
{
	u8 loss = (u8)read_uint(reader, 1), left = (u8)read_uint(reader, 1);
	if (reader->bad || loss > OWNER_LOSS_KILL || left > LEFTOVERS_KEEP) {
		reader->bad = true;
		return;
	}
	shim->owner_loss = loss;
	shim->leftovers = left;
	owner_watch(shim);
}

static void release(struct shim *shim)
{
	if (shim->owner_pidfd >= 0)
		close(shim->owner_pidfd);
	shim->owner_pidfd = -1;
	shim->owner_lost_at_ms = 0;
	shim->owner = (struct owner){0};
}

/* False: there is no terminal. */
static bool resize(struct shim *shim, struct client *client, const struct frame *frame, struct reader *reader)
{
	/* Two statements: an initializer's expressions are evaluated in no particular order. */
	struct size size = {.cols = (u16)read_uint(reader, 2)};
	size.rows = (u16)read_uint(reader, 2);
	bool holds = frame->type == MSG_HOLD_SIZE, none = size.cols == 0 && size.rows == 0;
	/* Half a size is none. RESIZE has always taken any. */
	if (holds && !none && (size.cols == 0 || size.rows == 0))
		reader->bad = true;
	if (reader->bad)
		return true;
	if (!holds)
		return size_set(shim, size);
	if (!none)
		return size_hold(shim, client, size);
	size_let_go(shim, client);
	return true;
}

/* On a terminal the foreground group is meant, as by a key; else the root's group, while the root is unreaped (T2). */
static bool send_signal(struct shim *shim, struct reader *reader)
{
	int number = (int)read_uint(reader, 4);
	char actor[ACTOR_BYTES_MAX + 1];
	read_str(reader, actor, sizeof actor);
	if (reader->bad || number < 1 || number > 64) {
		reader->bad = true;
		return false;
	}
	if (shim->root_gone || shim->root <= 0)
		return false;
	pid_t group = shim->root;
	pid_t foreground = 0;
	if (shim->spawn.pty && shim->child.in_fd >= 0 && ioctl(shim->child.in_fd, TIOCGPGRP, &foreground) == 0 &&
	    foreground > 1)
		group = foreground;
	bool sent = kill(-group, number) == 0 || (group != shim->root && kill(-shim->root, number) == 0);
	if (sent && number != SIGSTOP && number != SIGCONT) {
		shim->sent_signal = number;
		memcpy(shim->sent_by, actor, sizeof shim->sent_by);
	}
	record_note(shim, "signal", actor, number);
	return sent;
}

/* E8: the journal says where in the output the number of terminals changed, so all readers agree who answers. */
/* E8: the first of those attached answers; when one goes, those behind it move up. */
void attach_change(struct shim *shim, struct client *client, bool attach)
{
	if (client->attached == attach)
		return;
	client->attached = attach;
	shim->attached += attach ? 1u : (u32)-1;
	u32 left = client->attach_place;
	client->attach_place = attach ? shim->attached : 0;
	for (size_t i = 0; !attach && i < shim->client_count; i++)
		if (shim->clients[i].attach_place > left)
			shim->clients[i].attach_place--;
	record_attached(shim, left);
}

static void terminate(struct shim *shim, struct client *client, const struct frame *frame)
{
	struct terminate asked;
	if (!terminate_parse(frame->payload, frame->length, &asked)) {
		command_refuse(shim, client, frame->id, REFUSED_BAD_MESSAGE, "malformed TERMINATE");
		return;
	}
	if (asked.actor[0] == '\0')
		snprintf(asked.actor, sizeof asked.actor, "uid:%u pid:%d", client->uid, (int)client->pid);
	ending_ask(shim, asked.reason, asked.actor, asked.grace_ms);
	answer_ok(shim, client, frame->id, 0);
}

static void input(struct shim *shim, struct client *client, const struct frame *frame, struct reader *reader)
{
	u64 offset = read_uint(reader, 8);
	if (reader->bad || reader->left > INPUT_BYTES_MAX) {
		command_refuse(shim, client, frame->id, REFUSED_BAD_MESSAGE, "INPUT takes at most 256 KiB");
		return;
	}
	if (shim->child.exec_fd >= 0) {
		client->paused = true; /* whether there is somebody to read it is known once exec has succeeded */
		return;
	}
	enum input_result result = frame->type == MSG_EOF ? input_eof(shim, offset)
							  : input_offer(shim, offset, reader->at, reader->left);
	if (result == INPUT_WAIT)
		client->paused = true;
	else if (result == INPUT_GAP)
		command_refuse(shim, client, frame->id, REFUSED_GAP, "input starts above the accepted offset");
	else if (result == INPUT_CLOSED)
		command_refuse(shim, client, frame->id, REFUSED_CLOSED, "stdin is closed");
	else if (shim->spawn.pty && client->bell && reader->left <= KEY_BYTES_MAX)
		answer_key(shim, client, frame->id);
	else
		answer_ok(shim, client, frame->id, 0);
}

void bell_change(struct shim *shim, struct client *client, bool bell)
{
	if (client->bell == bell)
		return;
	client->bell = bell;
	shim->bell_count += bell ? 1u : (u32)-1;
	/* Whatever was rung over there, the link learns here. */
	if (!bell)
		peer_doorbell(&shim->link, shim->handle, journal_end(&shim->journal));
}

static void watch(struct shim *shim, struct client *client, const struct frame *frame)
{
	bool bell = frame->length == 1 && frame->payload[0] == 1;
	if (frame->length > 1 || (frame->length == 1 && !bell)) {
		command_refuse(shim, client, frame->id, REFUSED_BAD_MESSAGE, "WATCH takes nothing, or 1");
		return;
	}
	answer_ok(shim, client, frame->id, 0);
	if (bell)
		bell_change(shim, client, true);
	else
		client->watching = true;
	peer_doorbell(&client->peer, 0, journal_end(&shim->journal));
	/* What was told before it came is told again to it alone: no exit falls between two watchers. */
	if (!bell && shim->end_written)
		tell_end(shim, MSG_END, client);
	else if (!bell && shim->exit_written)
		tell_end(shim, MSG_EXIT, client);
	if (!bell && shim->blocked)
		tell_blocked(shim, client);
}

/* J3: what held the command back may fit at once. */
static void consumed(struct shim *shim, struct reader *reader)
{
	u64 offset = read_uint(reader, 8);
	if (reader->bad || !journal_consume(&shim->journal, offset))
		reader->bad = true;
	else
		(void)output_retry(shim);
}

/* The commands that answer OK unless malformed. */
static void simple(struct shim *shim, struct client *client, const struct frame *frame, struct reader *reader)
{
	u8 flags = 0;
	bool attach = false;
	switch (frame->type) {
	case MSG_DEADLINES: deadlines(shim, reader); break;
	case MSG_POLICY: policy(shim, reader); break;
	case MSG_RELEASE: release(shim); break;
	case MSG_CONSUMED: consumed(shim, reader); break;
	case MSG_RESIZE:
	case MSG_HOLD_SIZE:
		if (!resize(shim, client, frame, reader)) {
			command_refuse(shim, client, frame->id, REFUSED_UNSUPPORTED, "this run has no terminal");
			return;
		}
		break;
	case MSG_ATTACH:
		attach = read_uint(reader, 1) == 1;
		if (!reader->bad)
			attach_change(shim, client, attach);
		flags = (u8)((client->attach_place == 1 ? OK_ANSWERER : 0) | client->attach_place << OK_PLACE_SHIFT);
		break;
	case MSG_SIGNAL:
		if (!send_signal(shim, reader) && !reader->bad) {
			command_refuse(shim, client, frame->id, REFUSED_NOT_RUNNING, "the root process is gone");
			return;
		}
		break;
	default:
		command_refuse(shim, client, frame->id, REFUSED_UNSUPPORTED, "unknown command");
		return;
	}
	if (reader->bad)
		command_refuse(shim, client, frame->id, REFUSED_BAD_MESSAGE, "malformed command");
	else
		answer_ok(shim, client, frame->id, flags);
}

void command_run(struct shim *shim, struct client *client, const struct frame *frame)
{
	if (!client->authenticated) {
		authenticate(shim, client, frame);
		return;
	}
	if (frame->type == MSG_CLAIM) {
		claim(shim, client, frame);
		return;
	}
	if (frame->type == MSG_WATCH) {
		watch(shim, client, frame);
		return;
	}
	struct reader reader = {.at = frame->payload, .left = frame->length};
	u64 epoch = read_uint(&reader, 8);
	if (reader.bad)
		command_refuse(shim, client, frame->id, REFUSED_BAD_MESSAGE, "no epoch");
	else if (epoch != shim->epoch)
		command_refuse(shim, client, frame->id, REFUSED_STALE_EPOCH, "this run has another owner's epoch");
	else if (frame->type == MSG_TERMINATE)
		terminate(shim, client, frame);
	else if (frame->type == MSG_INPUT || frame->type == MSG_EOF)
		input(shim, client, frame, &reader);
	else
		simple(shim, client, frame, &reader);
}
