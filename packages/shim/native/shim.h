/*
 * A shim: holds one command, its terminal or pipes, its journal and its deadlines (ARCHITECTURE.md, idea 2).
 *
 * One process, one loop, no thread, no blocking call on a peer. Signals are read as data. The parts:
 *   shim.c     the loop and its timers          start.c    from the request to exec
 *   output.c   child → journal, doorbells       input.c    control → child
 *   control.c  the socket `s` and its clients   commands.c what clients may ask for
 *   ending.c   exit, termination, end           records.c  the JSON of start, exit, end
 *   size.c     whose size the terminal has
 *
 * Stages: starting (until exec) → running → exited (root gone, leftovers kept) → ended.
 */
#ifndef CLF_SHIM_H
#define CLF_SHIM_H

#include "cgroup.h"
#include "child.h"
#include "journal.h"
#include "ladder.h"
#include "peer.h"
#include "throttle.h"
#include "tree.h"
#include "wire.h"

#include <poll.h>
#include <sys/resource.h>

enum stream { STREAM_OUT = 0, STREAM_ERR = 1, STREAM_COUNT = 2 };

/* Where a run stands; the numbers are HELLO's. */
enum phase { PHASE_STARTING = 0, PHASE_RUNNING = 1, PHASE_TERMINATING = 2, PHASE_EXITED = 3, PHASE_ENDED = 4 };

struct output {
	int fd;
	bool grown;
};

struct size {
	u16 cols, rows;
};

struct client {
	struct peer peer;
	bool authenticated;
	bool watching;
	/* gets the doorbells in place of the link: one hop less for whoever types */
	bool bell;
	bool attached;
	/* among those attached, from 1 */
	u32 attach_place;
	/* what it wants the terminal's size to be, and when it said so, counted; 0 is never */
	struct size size;
	u64 size_act;
	/* its INPUT waits for room: it is not read from until then */
	bool paused;
	/* said its last word; dropped once that is done */
	bool hung_up;
	u64 connected_ms;
	pid_t pid;
	u32 uid;
	u8 *in;
	size_t in_length;
	size_t in_capacity;
};

struct shim {
	struct host host;
	/* the SPAWN message, in which `spawn` points; wiped once the child has its own copy */
	u8 *request;
	size_t request_length;
	struct spawn spawn;
	u32 handle;
	struct peer link;
	int signal_fd;
	int listen_fd;
	u64 listen_ino;
	/* nothing is accepted before this: we are out of descriptors */
	u64 accept_at_ms;
	int dir_fd;
	int owner_pidfd;
	u64 dir_dev, dir_ino;
	struct proc_stat self;

	struct cgroup cgroup;
	struct child child;
	pid_t root;
	u64 root_ticks;
	enum phase phase;
	u64 started_us, started_ms;
	u64 start_by_ms;
	/* what the child said before its end; stage 0 is nothing */
	struct start_failure said;
	/* a start that failed */
	enum stage start_stage;
	int start_error;

	struct journal journal;
	/* records that a full disk holds back */
	bool start_due, claim_due, input_due;
	u64 records_retry_ms;
	/* when what was typed is to be recorded */
	u64 typed_record_ms;
	/* when answers that linger are sent */
	u64 linger_until_ms;
	struct output outputs[STREAM_COUNT];
	u8 *buffer;
	size_t buffer_touched;
	size_t read_bytes_max;
	/* read but not yet in the journal: the disk is full (J4) */
	size_t held;
	u8 held_stream;
	bool blocked;
	int blocked_error;
	u64 blocked_retry_ms;
	u64 output_ms;
	/* wall-clock time of the newest output; 0: it has said nothing */
	u64 output_us;
	struct throttle throttle;

	u64 doorbell_tokens_ms;
	u32 doorbell_tokens;
	bool doorbell_pending;
	u32 bell_count;
	u64 doorbell_at_ms;
	/* how long the journal was at the last doorbell */
	u64 doorbell_told;

	u64 overall_at_ms;
	u64 no_output_ms;
	u64 owner_lost_at_ms;

	u8 *input;
	size_t input_length;
	size_t input_done;
	bool input_open;
	bool eof_asked;
	u64 input_offset;
	u64 typed_bytes;
	u32 tty_line_bytes;

	u64 epoch;
	struct owner owner;
	u8 owner_loss;
	u8 leftovers;
	u32 attached;
	/* the terminal's: in force, the run's own, and how often one was asked for */
	struct size size, own_size;
	u64 own_size_act, size_acts;

	/* T3: the first reason wins */
	bool has_reason;
	/* somebody wants it to end, or a deadline does: nothing is waited for beyond BLOCKED_DRAIN_MS */
	bool asked;
	enum reason reason;
	char actor[ACTOR_BYTES_MAX + 1];
	char detail[128];
	/* the last signal that somebody had us send and that can end a command, and who; 0 is none */
	int sent_signal;
	char sent_by[ACTOR_BYTES_MAX + 1];

	enum ladder ladder;
	u32 grace_ms;
	u64 rung_ends_ms;
	u64 tick_ms;
	/* who had its SIGTERM */
	struct seen warned;
	u64 warned_ticks;
	u32 warn_count;
	/* when ending_turn wants to be called again; 0 for no wish */
	u64 look_again_ms;
	struct tree tree;
	u64 killed_pgid, killed_cgroup;
	u64 escapees;

	bool root_gone;
	int root_status;
	/* of everyone we have reaped */
	struct rusage usage;
	u64 exited_us, exited_ms;
	u64 drain_until_ms;
	u64 settle_until_ms;
	u64 undrained;
	/* waitpid said ECHILD: the proof (T2) */
	bool tree_empty;
	bool exit_written;
	/* why the last try to write exit or end failed; 0 for none */
	int record_error;
	/* somebody lived when the exit was written */
	bool outlived;
	bool end_written;
	bool end_final;
	u64 flush_until_ms;

	u64 socket_check_ms;
	size_t client_count;
	/* last: its pages are touched only as far as there are clients */
	struct client clients[CONTROL_CLIENTS_MAX];
};

/* Never returns: the process is the shim. */
struct request {
	/* The SPAWN payload with one byte to spare. */
	u8 *message;
	size_t length;
	u32 handle;
	int link_fd;
	/* what spawnd has made for it; else none */
	struct shield shield;
};
_Noreturn void shim_main(const struct request *request, const struct host *host);
/* Told to everyone who listens. */
void shim_tell(struct shim *shim, u8 type, const void *first, size_t first_length, const void *second, size_t second_length);

/* start.c */
void start_run(struct shim *shim);
/* The pipe of the starting child has something to say. */
void start_ready(struct shim *shim);
/* The root is dead and not yet reaped: whatever its start came to is known now. */
void start_settle(struct shim *shim);
/* S2: its time is over. */
void start_late(struct shim *shim);

/* output.c */
int output_prepare(struct shim *shim);
void output_start(struct shim *shim);
void output_ready(struct shim *shim, enum stream stream);
/* Tries what is held again; true when nothing is held any more. */
bool output_retry(struct shim *shim);
/* After the root's exit: true once what the root wrote is in the journal, or given up on. The latter is up to ending_gives_up. */
bool output_drained(struct shim *shim, u64 now);
void output_close(struct shim *shim);
/* Gives memory that a burst needed back. */
void output_release(struct shim *shim);
void doorbell_ring(struct shim *shim, size_t bytes);
void doorbell_due(struct shim *shim);
void doorbell_expect(struct shim *shim);
void bell_change(struct shim *shim, struct client *client, bool bell);

/* input.c */
enum input_result { INPUT_TAKEN, INPUT_WAIT, INPUT_GAP, INPUT_CLOSED };
enum input_result input_offer(struct shim *shim, u64 offset, const u8 *bytes, size_t length);
enum input_result input_eof(struct shim *shim, u64 offset);
void input_ready(struct shim *shim);
void input_close(struct shim *shim);

/* ending.c */
void ending_ask(struct shim *shim, enum reason reason, const char *actor, u32 grace_ms);
void ending_reap(struct shim *shim);
/* True when what the disk refuses with this error, after the root's exit, is not tried again. */
bool ending_gives_up(const struct shim *shim, int error, u64 now);
void ending_turn(struct shim *shim, u64 now);
u64 ending_next(const struct shim *shim);
void ending_start_failed(struct shim *shim, enum stage stage, int error);

/* control.c */
int control_open(struct shim *shim);
void control_check(struct shim *shim);
void control_accept(struct shim *shim);
/* Returns false when the client is gone and its place was filled by the last one. */
bool control_ready(struct shim *shim, size_t index, short events);
/* Hears paused clients again, if there is room for their input now, or none to wait for. */
void control_resume(struct shim *shim);
/* Sends the answers that waited for a doorbell. */
void control_flush(struct shim *shim);
void control_expire(struct shim *shim, u64 now);

/* commands.c */
void command_run(struct shim *shim, struct client *client, const struct frame *frame);
void command_refuse(struct shim *shim, struct client *client, u32 id, enum refusal code, const char *why);
void owner_watch(struct shim *shim);
/* How many terminals are attached now, and at which place one has left; 0 is none. */
void record_attached(struct shim *shim, u32 left);
void attach_change(struct shim *shim, struct client *client, bool attach);

/* size.c */
/* As SPAWN says. */
void size_begin(struct shim *shim);
/* The run's own, from now on. False: there is no terminal. */
bool size_set(struct shim *shim, struct size size);
/* For as long as the client holds it. False: there is no terminal. */
bool size_hold(struct shim *shim, struct client *client, struct size size);
void size_let_go(struct shim *shim, struct client *client);

/* records.c */
int record_meta(struct shim *shim);
/* Writes start, claim and input frames that are due. 0, or -errno and they are tried again. */
int records_due(struct shim *shim);
/* A terminal's size, from its beginning on: whoever draws it needs to know. */
void record_size(struct shim *shim, u16 cols, u16 rows);
void record_start(struct shim *shim);
void record_claim(struct shim *shim);
void record_note(struct shim *shim, const char *note, const char *actor, i64 number);
bool record_exit(struct shim *shim);
bool record_end(struct shim *shim, bool final);
/* `only`: this client and nobody else; NULL: everyone who listens. */
void tell_end(struct shim *shim, u8 type, struct client *only);
void tell_terminating(struct shim *shim, enum reason reason, const char *actor);
void tell_blocked(struct shim *shim, struct client *only);

#endif
