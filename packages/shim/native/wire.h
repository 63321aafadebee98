/*
 * The shim protocol (docs/protocol/shim.md): framing, the SPAWN request, commands.
 * Parsers are pure: bytes in, a struct of views into those bytes out, or false. They are fuzzed.
 */
#ifndef CLF_WIRE_H
#define CLF_WIRE_H

#include "limits.h"
#include "sys.h"

enum message {
	MSG_SPAWN = 1,
	MSG_AUTH = 2,
	MSG_CLAIM = 3,
	MSG_DEADLINES = 4,
	MSG_POLICY = 5,
	MSG_RELEASE = 6,
	MSG_INPUT = 7,
	MSG_EOF = 8,
	MSG_RESIZE = 9,
	MSG_SIGNAL = 10,
	MSG_TERMINATE = 11,
	MSG_WATCH = 12,
	MSG_CONSUMED = 13,
	MSG_ATTACH = 14,
	MSG_HOLD_SIZE = 15,
	MSG_HELLO = 64,
	MSG_STARTED = 65,
	MSG_DOORBELL = 66,
	MSG_EXIT = 67,
	MSG_END = 68,
	MSG_SPAWN_ERROR = 69,
	MSG_OK = 70,
	MSG_REFUSED = 71,
	MSG_BLOCKED = 72,
	MSG_SHIM_LOST = 73,
	MSG_SPAWND_HELLO = 74,
	MSG_TERMINATING = 75,
};

enum refusal {
	REFUSED_BAD_MESSAGE = 1,
	REFUSED_BAD_COOKIE = 2,
	REFUSED_BAD_VERSION = 3,
	REFUSED_STALE_EPOCH = 4,
	REFUSED_GAP = 5,
	REFUSED_CLOSED = 6,
	REFUSED_UNSUPPORTED = 7,
	REFUSED_NOT_RUNNING = 8,
	REFUSED_BAD_STATE = 9,
};

/* T3, in the order of docs/protocol/shim.md. */
enum reason {
	REASON_EXIT = 0,
	REASON_SIGNAL,
	REASON_MANUAL_CANCEL,
	REASON_OVERALL_TIMEOUT,
	REASON_NO_OUTPUT_TIMEOUT,
	REASON_SPAWN_ERROR,
	REASON_OWNERSHIP_ESCAPE,
	REASON_OWNER_LOST,
	REASON_OUT_OF_MEMORY,
	REASON_HOST_REBOOTED,
	REASON_CONTAINER_RESTARTED,
	REASON_RECONCILED_STALE,
	REASON_UNKNOWN,
	REASON_COUNT,
};
const char *reason_name(enum reason reason);

enum owner_loss { OWNER_LOSS_ADOPT = 0, OWNER_LOSS_KILL = 1 };
enum leftovers { LEFTOVERS_FAIL = 0, LEFTOVERS_END = 1, LEFTOVERS_KEEP = 2 };

#define OFFSET_TYPED UINT64_MAX
#define KEEP_U64 UINT64_MAX
#define KEEP_U32 UINT32_MAX

struct frame {
	u8 type;
	u32 id;
	const u8 *payload;
	size_t length;
	/* header and payload: how far to move on */
	size_t bytes;
};

enum frame_state { FRAME_WHOLE, FRAME_PARTIAL, FRAME_BAD };
/* length_max is the largest length field accepted. */
enum frame_state frame_parse(const u8 *bytes, size_t available, size_t length_max, struct frame *frame);
/* Writes the 12 bytes of a header. */
void frame_header(u8 header[FRAME_HEADER_BYTES], u8 type, u32 id, size_t payload_length);

/* Little-endian cursor over bytes; a read past the end sets bad and gives zero. */
struct reader {
	const u8 *at;
	size_t left;
	bool bad;
};
u64 read_uint(struct reader *reader, size_t bytes);
/* A u16-prefixed string copied and NUL-terminated; one that is too long or holds a NUL is bad. */
void read_str(struct reader *reader, char *out, size_t capacity);
void put_uint(u8 *at, u64 value, size_t bytes);

struct owner {
	u64 generation;
	pid_t pid;
	u64 start_ticks;
	char instance[INSTANCE_BYTES_MAX + 1];
};

void read_owner(struct reader *reader, struct owner *owner);

struct spawn_rlimit {
	int resource;
	u64 soft;
	u64 hard;
};

/* What a confined command may do in one place; the numbers are SPAWN's. */
enum access { ACCESS_READ = 0, ACCESS_EXECUTE = 1, ACCESS_WRITE = 2, ACCESS_COUNT };

struct grant {
	const char *path;
	u8 access;
	/* not there: left out, and what is there may be reached through links */
	bool optional;
};

struct spawn {
	const char *run_dir;
	const char *run_id;
	const u8 *cookie;
	const u8 *meta;
	size_t meta_length;
	u64 epoch;
	struct owner owner;
	char **argv;
	char **envp;
	const char *cwd;
	/* which directory `cwd` has to be */
	bool has_cwd_id;
	u64 cwd_device, cwd_inode;
	const char *file;
	bool pty;
	u16 cols, rows;
	bool stdin_null;
	bool has_umask;
	u32 umask_bits;
	bool has_nice;
	i32 nice_value;
	struct spawn_rlimit rlimits[RLIMITS_MAX];
	size_t rlimit_count;
	bool has_user;
	u32 uid, gid;
	u32 groups[GROUPS_MAX];
	size_t group_count;
	const char *cgroup;
	u64 memory_max, pids_max;
	u64 overall_ms, no_output_ms;
	u32 grace_ms, kill_ms, start_ms, lease_ms;
	u8 owner_loss, leftovers;
	bool hold;
	u64 journal_bytes_max, segment_bytes;
	bool has_oom_score_adj;
	i32 oom_score_adj;
	bool confined;
	/* what SPAWN says of the shield, and its first byte; NULL and 0 for none */
	const u8 *shield;
	size_t shield_length;
	u8 shield_asked;
	/* allocated where there are any: every run has this struct, few are confined */
	struct grant *grants;
	size_t grant_count;
	/* how fast output is journalled, together with all runs of the same file; NULL: as fast as it comes */
	const char *rate_file;
	u64 rate_bytes_per_second, rate_burst_bytes;
};

/*
 * Parses SPAWN in place: strings are NUL-terminated inside `bytes`, so `bytes` must have one byte to spare
 * after `length`, and lives as long as the result. On failure returns what is wrong, on success NULL.
 */
const char *spawn_parse(u8 *bytes, size_t length, struct spawn *spawn);
void spawn_free(struct spawn *spawn);

struct claim {
	u64 epoch;
	struct owner owner;
};
bool claim_parse(const u8 *payload, size_t length, struct claim *claim);

struct terminate {
	u64 epoch;
	enum reason reason;
	u32 grace_ms;
	char actor[ACTOR_BYTES_MAX + 1];
};
bool terminate_parse(const u8 *payload, size_t length, struct terminate *terminate);

#endif
