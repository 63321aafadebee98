/*
 * The SPAWN request: tag-length-value fields into a struct spawn.
 * Two passes: the first counts arguments and checks lengths, the second fills in. Only then are strings
 * terminated in place: the byte after a value is the next field's tag, already read, or the spare byte at the end.
 */
#include "shield.h"
#include "wire.h"

#include <stdlib.h>
#include <string.h>

enum tag {
	TAG_VERSION = 1,
	TAG_RUN_DIR,
	TAG_RUN_ID,
	TAG_COOKIE,
	TAG_META,
	TAG_EPOCH,
	TAG_OWNER,
	TAG_ARG,
	TAG_ENV,
	TAG_CWD,
	TAG_FILE,
	TAG_PTY,
	TAG_STDIN,
	TAG_UMASK,
	TAG_NICE,
	TAG_RLIMIT,
	TAG_USER,
	TAG_CGROUP,
	TAG_CGROUP_LIMITS,
	TAG_OVERALL_MS,
	TAG_NO_OUTPUT_MS,
	TAG_GRACE_MS,
	TAG_KILL_MS,
	TAG_START_MS,
	TAG_OWNER_LOSS,
	TAG_LEASE_MS,
	TAG_LEFTOVERS,
	TAG_JOURNAL,
	TAG_OOM_SCORE_ADJ,
	TAG_CONFINE,
	TAG_GRANT,
	TAG_CWD_ID,
	TAG_SHIELD,
	TAG_RATE,
	TAG_RATE_FILE,
	TAG_COUNT,
};
/* Unknown tags from here on may be ignored. */
#define TAG_OPTIONAL 0x8000u

struct field {
	u32 tag;
	u8 *value;
	size_t length;
};

static bool next_field(struct reader *reader, struct field *field)
{
	field->tag = (u32)read_uint(reader, 2);
	field->length = (size_t)read_uint(reader, 4);
	if (reader->bad || field->length > reader->left) {
		reader->bad = true;
		return false;
	}
	field->value = (u8 *)(uintptr_t)reader->at;
	reader->at += field->length;
	reader->left -= field->length;
	return true;
}

static bool is_string(u32 tag)
{
	return tag == TAG_RUN_DIR || tag == TAG_RUN_ID || tag == TAG_ARG || tag == TAG_ENV || tag == TAG_CWD ||
	       tag == TAG_FILE || tag == TAG_CGROUP || tag == TAG_GRANT || tag == TAG_RATE_FILE;
}

/* In front of a grant's path: what is granted, and whether it may be missing. */
#define GRANT_HEAD_BYTES 2u

static bool is_path(u32 tag)
{
	return tag == TAG_RUN_DIR || tag == TAG_CWD || tag == TAG_CGROUP || tag == TAG_RATE_FILE;
}

static const char *check_grant(const struct field *field)
{
	if (field->length <= GRANT_HEAD_BYTES || field->length > GRANT_HEAD_BYTES + GRANT_PATH_BYTES_MAX)
		return "a grant has no path, or one that is too long";
	if (field->value[0] >= ACCESS_COUNT || field->value[1] > 1)
		return "an unknown kind of grant";
	if (field->value[GRANT_HEAD_BYTES] != '/')
		return "a path is not absolute";
	if (memchr(field->value + GRANT_HEAD_BYTES, 0, field->length - GRANT_HEAD_BYTES))
		return "a string holds a NUL byte";
	return NULL;
}

static const char *check_string(const struct field *field)
{
	if (field->tag == TAG_GRANT)
		return check_grant(field);
	if (memchr(field->value, 0, field->length))
		return "a string holds a NUL byte";
	if (is_path(field->tag) && (field->length < 1 || field->value[0] != '/'))
		return "a path is not absolute";
	if (field->tag == TAG_RUN_ID && (field->length < 1 || field->length > RUN_ID_BYTES_MAX))
		return "the run id is empty or too long";
	if (field->tag == TAG_FILE && field->length < 1)
		return "the file to execute is empty";
	if (field->tag == TAG_ENV && (!memchr(field->value, '=', field->length) || field->value[0] == '='))
		return "an environment entry is not NAME=value";
	return NULL;
}

/* How many there are of what is repeated. */
struct counts {
	size_t args, envs, grants;
};

static const char *count_fields(const u8 *bytes, size_t length, struct counts *counts)
{
	struct reader reader = {.at = bytes, .left = length};
	struct field field;
	bool first = true;
	while (reader.left > 0) {
		if (!next_field(&reader, &field))
			return "a field is longer than the message";
		if (first && (field.tag != TAG_VERSION || field.length != 2))
			return "the first field is not the version";
		first = false;
		if (field.tag == 0 || (field.tag >= TAG_COUNT && field.tag < TAG_OPTIONAL))
			return "an unknown field";
		const char *wrong = is_string(field.tag) ? check_string(&field) : NULL;
		if (wrong)
			return wrong;
		counts->args += field.tag == TAG_ARG;
		counts->envs += field.tag == TAG_ENV;
		counts->grants += field.tag == TAG_GRANT;
	}
	if (counts->args < 1 || counts->args > ARGS_MAX || counts->envs > ENV_MAX)
		return "no argv, or too many arguments or variables";
	if (counts->grants > GRANTS_MAX)
		return "too many grants";
	return first ? "an empty message" : NULL;
}

static void take_user(struct reader *reader, struct spawn *spawn)
{
	spawn->has_user = true;
	spawn->group_count = 0;
	spawn->uid = (u32)read_uint(reader, 4);
	spawn->gid = (u32)read_uint(reader, 4);
	while (reader->left >= 4 && spawn->group_count < GROUPS_MAX)
		spawn->groups[spawn->group_count++] = (u32)read_uint(reader, 4);
}

static void take_rlimit(struct reader *reader, struct spawn *spawn)
{
	if (spawn->rlimit_count == RLIMITS_MAX) {
		reader->bad = true;
		return;
	}
	/* One by one: the order in which an initialiser evaluates its parts is not defined. */
	struct spawn_rlimit *limit = &spawn->rlimits[spawn->rlimit_count++];
	limit->resource = (int)read_uint(reader, 4);
	limit->soft = read_uint(reader, 8);
	limit->hard = read_uint(reader, 8);
}

/* A byte that chooses one of two. */
static bool read_choice(struct reader *reader)
{
	u64 value = read_uint(reader, 1);
	reader->bad |= value > 1;
	return value == 1;
}

/* Numbers, one line each; what is left over in a field afterwards makes it bad. */
static void take_number(struct reader *r, u32 tag, struct spawn *spawn)
{
	switch (tag) {
	case TAG_VERSION: r->bad |= read_uint(r, 2) != PROTOCOL_VERSION; break;
	case TAG_EPOCH: spawn->epoch = read_uint(r, 8); break;
	case TAG_OWNER: read_owner(r, &spawn->owner); break;
	case TAG_PTY:
		spawn->pty = true;
		spawn->cols = (u16)read_uint(r, 2);
		spawn->rows = (u16)read_uint(r, 2);
		break;
	case TAG_STDIN: spawn->stdin_null = read_choice(r); break;
	case TAG_UMASK:
		spawn->has_umask = true;
		spawn->umask_bits = (u32)read_uint(r, 4) & 0777u;
		break;
	case TAG_NICE:
		spawn->has_nice = true;
		spawn->nice_value = (i32)read_uint(r, 4);
		break;
	case TAG_RLIMIT: take_rlimit(r, spawn); break;
	case TAG_USER: take_user(r, spawn); break;
	case TAG_CGROUP_LIMITS:
		spawn->memory_max = read_uint(r, 8);
		spawn->pids_max = read_uint(r, 8);
		break;
	case TAG_OVERALL_MS: spawn->overall_ms = read_uint(r, 8); break;
	case TAG_NO_OUTPUT_MS: spawn->no_output_ms = read_uint(r, 8); break;
	case TAG_GRACE_MS: spawn->grace_ms = (u32)read_uint(r, 4); break;
	case TAG_KILL_MS: spawn->kill_ms = (u32)read_uint(r, 4); break;
	case TAG_START_MS: spawn->start_ms = (u32)read_uint(r, 4); break;
	case TAG_OWNER_LOSS: spawn->owner_loss = (u8)read_uint(r, 1); break;
	case TAG_LEASE_MS: spawn->lease_ms = (u32)read_uint(r, 4); break;
	case TAG_LEFTOVERS: spawn->leftovers = (u8)read_uint(r, 1); break;
	case TAG_JOURNAL:
		spawn->hold = read_choice(r);
		spawn->journal_bytes_max = read_uint(r, 8);
		spawn->segment_bytes = read_uint(r, 8);
		break;
	case TAG_OOM_SCORE_ADJ:
		spawn->has_oom_score_adj = true;
		spawn->oom_score_adj = (i32)read_uint(r, 4);
		break;
	case TAG_CONFINE: spawn->confined = true; break;
	case TAG_CWD_ID:
		spawn->has_cwd_id = true;
		spawn->cwd_device = read_uint(r, 8);
		spawn->cwd_inode = read_uint(r, 8);
		break;
	case TAG_RATE:
		spawn->rate_bytes_per_second = read_uint(r, 8);
		spawn->rate_burst_bytes = read_uint(r, 8);
		break;
	default: r->left = 0; break;
	}
}

static bool take_bytes(const struct field *field, struct spawn *spawn, struct counts *taken)
{
	char *text = (char *)field->value;
	switch (field->tag) {
	case TAG_RUN_DIR: spawn->run_dir = text; return true;
	case TAG_RUN_ID: spawn->run_id = text; return true;
	case TAG_CWD: spawn->cwd = text; return true;
	case TAG_FILE: spawn->file = text; return true;
	case TAG_CGROUP: spawn->cgroup = text; return true;
	case TAG_RATE_FILE: spawn->rate_file = text; return true;
	case TAG_ARG: spawn->argv[taken->args++] = text; return true;
	case TAG_ENV: spawn->envp[taken->envs++] = text; return true;
	case TAG_COOKIE: spawn->cookie = field->length == 16 ? field->value : NULL; return true;
	case TAG_META:
		spawn->meta = field->value;
		spawn->meta_length = field->length;
		return true;
	case TAG_SHIELD:
		spawn->shield = field->value;
		spawn->shield_length = field->length;
		return true;
	case TAG_GRANT:
		spawn->grants[spawn->grant_count++] = (struct grant){
			.path = text + GRANT_HEAD_BYTES, .access = field->value[0], .optional = field->value[1] == 1};
		return true;
	default: return false;
	}
}

static void terminate_strings(u8 *bytes, size_t length)
{
	struct reader reader = {.at = bytes, .left = length};
	u8 *end = NULL;
	struct field field;
	while (reader.left > 0 && next_field(&reader, &field)) {
		if (end)
			*end = 0;
		end = is_string(field.tag) ? field.value + field.length : NULL;
	}
	if (end)
		*end = 0;
}

static const char *check(const struct spawn *spawn)
{
	if (!spawn->run_dir || !spawn->run_id || !spawn->cookie || !spawn->cwd)
		return "run directory, run id, cookie or working directory is missing";
	if (spawn->meta_length > META_BYTES_MAX)
		return "meta is too long";
	if (spawn->leftovers > LEFTOVERS_KEEP || spawn->owner_loss > OWNER_LOSS_KILL)
		return "an unknown policy";
	if (spawn->segment_bytes < SEGMENT_BYTES_MIN || spawn->journal_bytes_max < spawn->segment_bytes)
		return "journal sizes make no sense";
	/* E4: refused, never silently left out. */
	if ((spawn->memory_max || spawn->pids_max) && !spawn->cgroup)
		return "limits of memory and processes need a cgroup";
	if (spawn->oom_score_adj < -1000 || spawn->oom_score_adj > 1000)
		return "oomScoreAdj is not between -1000 and 1000";
	if (spawn->grant_count && !spawn->confined)
		return "grants are for a confined run";
	const char *wrong = spawn->shield ? shield_check(spawn->shield, spawn->shield_length) : NULL;
	if (wrong)
		return wrong;
	if (!spawn->rate_file != !spawn->rate_bytes_per_second || spawn->rate_burst_bytes > RATE_BURST_BYTES_MAX)
		return "the rate of output makes no sense";
	if (spawn->grace_ms == 0 || spawn->kill_ms == 0 || spawn->start_ms == 0)
		return "graceMs, killMs or startMs is missing";
	return NULL;
}

const char *spawn_parse(u8 *bytes, size_t length, struct spawn *spawn)
{
	memset(spawn, 0, sizeof *spawn);
	struct counts counts = {0}, taken = {0};
	const char *wrong = count_fields(bytes, length, &counts);
	if (wrong)
		return wrong;
	spawn->argv = calloc(counts.args + 1, sizeof *spawn->argv);
	spawn->envp = calloc(counts.envs + 1, sizeof *spawn->envp);
	if (counts.grants > 0)
		spawn->grants = calloc(counts.grants, sizeof *spawn->grants);
	if (!spawn->argv || !spawn->envp || (counts.grants > 0 && !spawn->grants))
		return "out of memory";
	struct reader reader = {.at = bytes, .left = length};
	struct field field;
	while (reader.left > 0 && next_field(&reader, &field)) {
		if (take_bytes(&field, spawn, &taken))
			continue;
		struct reader value = {.at = field.value, .left = field.length};
		take_number(&value, field.tag, spawn);
		if (value.bad || value.left)
			return field.tag == TAG_VERSION ? "a protocol version this shim does not speak" : "a field of the wrong length";
	}
	terminate_strings(bytes, length);
	const char *bad = check(spawn);
	if (!bad && spawn->shield)
		spawn->shield_asked = spawn->shield[0];
	return bad;
}

const u8 *shield_find(const u8 *message, size_t length, size_t *spec_length)
{
	struct reader reader = {.at = message, .left = length};
	struct field field;
	while (reader.left > 0 && next_field(&reader, &field)) {
		if (field.tag != TAG_SHIELD)
			continue;
		*spec_length = field.length;
		return !shield_check(field.value, field.length) && (field.value[0] & SHIELD_NAMESPACE) ? field.value : NULL;
	}
	return NULL;
}

void spawn_free(struct spawn *spawn)
{
	free(spawn->argv);
	free(spawn->envp);
	free(spawn->grants);
	spawn->argv = NULL;
	spawn->envp = NULL;
	spawn->grants = NULL;
}
