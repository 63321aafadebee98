/*
 * The JSON of the journal's records and of what is told about them (docs/protocol/journal.md).
 * exit and end have a short form without lists, for a disk that is full to the last block.
 */
#include "shim.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The records as they were written, for everyone who is told later. */
static struct {
	char text[RECORD_BYTES_MAX];
	size_t length;
} exit_record, end_record;

static void json_text(struct json *json, const char *key, const char *value, size_t bytes_max)
{
	if (value && *value)
		json_string_cut(json, key, value, bytes_max);
	else
		json_null(json, key);
}

int record_meta(struct shim *shim)
{
	return journal_append(&shim->journal, KIND_META, shim->spawn.meta, shim->spawn.meta_length);
}

static size_t start_json(struct shim *shim, char *text, size_t capacity)
{
	struct json json;
	json_begin(&json, text, capacity);
	json_open(&json, NULL, '{');
	json_u64(&json, "pid", (u64)shim->root);
	json_u64(&json, "pgid", (u64)shim->root);
	json_u64(&json, "startTicks", shim->root_ticks);
	json_string(&json, "bootId", shim->host.boot_id_text);
	json_u64(&json, "pidNs", shim->host.pid_ns);
	json_u64(&json, "dev", shim->dir_dev);
	json_u64(&json, "ino", shim->dir_ino);
	json_u64(&json, "shimPid", (u64)shim->self.pid);
	json_u64(&json, "shimStartTicks", shim->self.start_ticks);
	json_bool(&json, "pty", shim->spawn.pty);
	json_u64(&json, "epoch", shim->spawn.epoch);
	json_u64(&json, "startedUs", shim->started_us);
	json_close(&json, '}');
	return json.length;
}

static int write_start(struct shim *shim)
{
	char text[512];
	return journal_append(&shim->journal, KIND_START, text, start_json(shim, text, sizeof text));
}

static int write_claim(struct shim *shim)
{
	char text[768]; /* an instance may be six times as long when it is escaped */
	struct json json;
	json_begin(&json, text, sizeof text);
	json_open(&json, NULL, '{');
	json_u64(&json, "epoch", shim->epoch);
	json_u64(&json, "generation", shim->owner.generation);
	json_string(&json, "instance", shim->owner.instance);
	json_u64(&json, "pid", (u64)shim->owner.pid);
	json_u64(&json, "startTicks", shim->owner.start_ticks);
	json_close(&json, '}');
	return journal_append(&shim->journal, KIND_CLAIM, text, json.length);
}

void record_size(struct shim *shim, u16 cols, u16 rows)
{
	char text[64];
	int n = snprintf(text, sizeof text, "{\"cols\":%u,\"rows\":%u}", cols, rows);
	(void)journal_append(&shim->journal, KIND_RESIZE, text, (size_t)n);
}

/* How much was accepted, never what (I1). One frame for all of a turn of the loop, or of a moment's typing. */
static int write_input(struct shim *shim)
{
	char text[128];
	struct json json;
	json_begin(&json, text, sizeof text);
	json_open(&json, NULL, '{');
	json_u64(&json, "offset", shim->input_offset);
	json_u64(&json, "typed", shim->typed_bytes);
	json_bool(&json, "eof", !shim->input_open || shim->eof_asked);
	json_close(&json, '}');
	shim->typed_record_ms = 0;
	return journal_append(&shim->journal, KIND_INPUT, text, json.length);
}

/* In the order in which a reader expects them. */
int records_due(struct shim *shim)
{
	int failed = 0;
	if (shim->start_due && (failed = write_start(shim)) == 0)
		shim->start_due = false;
	if (!failed && shim->claim_due && (failed = write_claim(shim)) == 0)
		shim->claim_due = false;
	if (!failed && shim->input_due && (failed = write_input(shim)) == 0)
		shim->input_due = false;
	if (failed)
		shim->records_retry_ms = monotonic_ms() + BLOCKED_RETRY_MS;
	return failed;
}

void record_start(struct shim *shim)
{
	char text[512];
	size_t length = start_json(shim, text, sizeof text);
	shim->start_due = true;
	(void)records_due(shim);
	if (shim->spawn.pty)
		record_size(shim, shim->size.cols, shim->size.rows);
	shim_tell(shim, MSG_STARTED, text, length, NULL, 0);
}

void record_claim(struct shim *shim)
{
	shim->claim_due = true;
	(void)records_due(shim);
}

void record_note(struct shim *shim, const char *note, const char *actor, i64 number)
{
	char text[1024]; /* an actor may be six times as long when it is escaped */
	struct json json;
	json_begin(&json, text, sizeof text);
	json_open(&json, NULL, '{');
	json_string(&json, "note", note);
	json_text(&json, "actor", actor, SIZE_MAX);
	json_i64(&json, "value", number);
	json_close(&json, '}');
	/* A note that a full disk refuses is lost: what it says is also in the exit record, or no longer true. */
	if (journal_append(&shim->journal, KIND_NOTE, text, json.length) == 0)
		doorbell_ring(shim, 0);
}

void record_attached(struct shim *shim, u32 left)
{
	char text[80];
	int n = snprintf(text, sizeof text, "{\"note\":\"attached\",\"value\":%u,\"left\":%u}", shim->attached, left);
	if (journal_append(&shim->journal, KIND_NOTE, text, (size_t)n) == 0)
		doorbell_ring(shim, 0);
}

static enum reason root_reason(const struct shim *shim)
{
	if (shim->has_reason)
		return shim->reason;
	return WIFSIGNALED(shim->root_status) ? REASON_SIGNAL : REASON_EXIT;
}

static void put_status(const struct shim *shim, struct json *json)
{
	/* Not started, or given up on while the root lives: there is no status. */
	bool started = shim->start_stage == STAGE_NONE && shim->root_gone;
	bool signalled = started && WIFSIGNALED(shim->root_status);
	if (started && !signalled)
		json_u64(json, "code", (u64)WEXITSTATUS(shim->root_status));
	else
		json_null(json, "code");
	if (signalled)
		json_u64(json, "signal", (u64)WTERMSIG(shim->root_status));
	else
		json_null(json, "signal");
	json_bool(json, "core", signalled && WCOREDUMP(shim->root_status));
	if (shim->start_stage != STAGE_NONE) {
		json_string(json, "stage", stage_name(shim->start_stage));
		json_i64(json, "errno", shim->start_error);
	}
}

static u64 micros(struct timeval time)
{
	return (u64)time.tv_sec * 1000000u + (u64)time.tv_usec;
}

/* T3: who asked for the end, or sent the signal that the command died of. */
static const char *cause_actor(const struct shim *shim)
{
	if (shim->has_reason)
		return shim->actor;
	bool by_ours = shim->sent_signal && shim->root_gone && WIFSIGNALED(shim->root_status) &&
		       WTERMSIG(shim->root_status) == shim->sent_signal;
	return by_ours ? shim->sent_by : NULL;
}

/* Actor and detail: the short form keeps the beginning of the one and leaves the other out. */
static void put_cause(const struct shim *shim, struct json *json, bool whole)
{
	json_string(json, "reason", reason_name(root_reason(shim)));
	json_text(json, "actor", cause_actor(shim), whole ? SIZE_MAX : SHORT_ACTOR_BYTES);
	json_text(json, "detail", whole ? shim->detail : NULL, SIZE_MAX);
}

/* Of all that was reaped so far. */
static void put_usage(const struct shim *shim, struct json *json)
{
	json_u64(json, "userUs", micros(shim->usage.ru_utime));
	json_u64(json, "systemUs", micros(shim->usage.ru_stime));
	json_u64(json, "maxRssKb", (u64)shim->usage.ru_maxrss);
	json_u64(json, "readBytes", (u64)shim->usage.ru_inblock * RUSAGE_BLOCK_BYTES);
	json_u64(json, "writeBytes", (u64)shim->usage.ru_oublock * RUSAGE_BLOCK_BYTES);
}

static size_t write_exit_json(struct shim *shim, bool whole)
{
	struct json json;
	json_begin(&json, exit_record.text, sizeof exit_record.text);
	json_open(&json, NULL, '{');
	put_status(shim, &json);
	put_cause(shim, &json, whole);
	json_u64(&json, "startedUs", shim->started_us);
	json_u64(&json, "endedUs", shim->exited_us);
	json_u64(&json, "durationMs", shim->exited_ms - shim->started_ms);
	put_usage(shim, &json);
	if (whole)
		json_u64(&json, "lastOutputUs", shim->output_us);
	struct tree none = {0};
	tree_json(whole ? &shim->tree : &none, &json, "leftovers");
	json_u64(&json, "undrainedBytes", shim->undrained);
	json_close(&json, '}');
	return json.overflow ? 0 : json.length;
}

/* Exit and end: why they could not be written decides whether they are tried again. */
static bool append_last(struct shim *shim, enum frame_kind kind, const char *text, size_t length)
{
	shim->record_error = -journal_append(&shim->journal, kind, text, length);
	return shim->record_error == 0;
}

/* The tree holds the leftovers at this moment. */
bool record_exit(struct shim *shim)
{
	if (shim->typed_record_ms)
		(void)write_input(shim); /* without room it is lost: it says how much, and no reader depends on it */
	exit_record.length = write_exit_json(shim, true);
	if (exit_record.length && append_last(shim, KIND_EXIT, exit_record.text, exit_record.length))
		return true;
	exit_record.length = write_exit_json(shim, false);
	return append_last(shim, KIND_EXIT, exit_record.text, exit_record.length);
}

static size_t write_end_json(struct shim *shim, bool final, bool whole)
{
	struct json json;
	json_begin(&json, end_record.text, sizeof end_record.text);
	json_open(&json, NULL, '{');
	put_cause(shim, &json, whole);
	json_open(&json, "killed", '{');
	json_u64(&json, "pid", shim->tree.reached);
	json_u64(&json, "pgid", shim->killed_pgid);
	json_u64(&json, "cgroup", shim->killed_cgroup);
	json_close(&json, '}');
	json_u64(&json, "escapees", shim->escapees);
	struct tree none = {0};
	tree_json(whole && !final ? &shim->tree : &none, &json, "survivors");
	json_u64(&json, "undrainedBytes", shim->undrained);
	json_u64(&json, "endedUs", wall_us());
	if (whole) {
		put_usage(shim, &json);
		json_u64(&json, "lastOutputUs", shim->output_us);
	}
	json_bool(&json, "final", final);
	json_close(&json, '}');
	return json.overflow ? 0 : json.length;
}

bool record_end(struct shim *shim, bool final)
{
	end_record.length = write_end_json(shim, final, true);
	bool written = end_record.length && append_last(shim, KIND_END, end_record.text, end_record.length);
	if (!written) {
		end_record.length = write_end_json(shim, final, false);
		written = append_last(shim, KIND_END, end_record.text, end_record.length);
	}
	if (written && final)
		journal_seal(&shim->journal);
	return written;
}

/* u64 journal length, u32 JSON length, JSON, and the whole journal when it is small and one segment. */
void tell_end(struct shim *shim, u8 type, struct client *only)
{
	static u8 message[2 * RECORD_BYTES_MAX + 64 + INLINE_JOURNAL_BYTES_MAX];
	const struct journal *journal = &shim->journal;
	char *text = (char *)message + 12;
	bool end = type == MSG_END;
	if (shim->spawn.hold && !only)
		journal_sync(journal); /* J4: what is told about a held stream is on the disk */
	int n = snprintf(text, 2 * RECORD_BYTES_MAX + 48, "{\"exit\":%.*s%s%.*s}", (int)exit_record.length, exit_record.text,
			 end ? ",\"end\":" : "", end ? (int)end_record.length : 0, end_record.text);
	put_uint(message, journal_end(journal), 8);
	put_uint(message + 8, (u64)n, 4);
	size_t length = 12 + (size_t)n;
	ssize_t inlined = 0;
	if (end && journal->base == 0 && !journal->pending && journal_end(journal) <= INLINE_JOURNAL_BYTES_MAX)
		inlined = pread(journal->fd, message + length, (size_t)journal->length, 0);
	length += inlined > 0 ? (size_t)inlined : 0;
	if (only)
		peer_send(&only->peer, type, 0, message, length);
	else
		shim_tell(shim, type, message, length, NULL, 0);
}

void tell_terminating(struct shim *shim, enum reason reason, const char *actor)
{
	char text[1024];
	struct json json;
	json_begin(&json, text, sizeof text);
	json_open(&json, NULL, '{');
	json_string(&json, "reason", reason_name(reason));
	json_text(&json, "actor", actor, SIZE_MAX);
	json_close(&json, '}');
	shim_tell(shim, MSG_TERMINATING, text, json.length, NULL, 0);
}

void tell_blocked(struct shim *shim, struct client *only)
{
	char text[128];
	struct json json;
	json_begin(&json, text, sizeof text);
	json_open(&json, NULL, '{');
	json_bool(&json, "blocked", shim->blocked);
	json_string(&json, "why", shim->blocked_error ? strerror(shim->blocked_error) : "");
	json_i64(&json, "errno", shim->blocked_error);
	json_close(&json, '}');
	if (only) {
		peer_send(&only->peer, MSG_BLOCKED, 0, text, json.length);
		return;
	}
	shim_tell(shim, MSG_BLOCKED, text, json.length, NULL, 0);
	if (!shim->blocked)
		record_note(shim, "unblocked", NULL, 0);
}
