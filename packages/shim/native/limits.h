/*
 * Every number of the native part, with its reason. Units are in the names.
 */
#ifndef CLF_LIMITS_H
#define CLF_LIMITS_H

#define PROTOCOL_VERSION 1

/* One message: large enough for a 1 MiB environment, small enough to hold in memory per peer. */
#define FRAME_HEADER_BYTES 12u
#define FRAME_LENGTH_MAX ((1u << 20) + 64u)
/* Before a peer has shown its cookie it may not make us hold more than an AUTH. */
#define AUTH_FRAME_LENGTH_MAX 64u

/* A run's own terminals, viewers and tools; more is a leak in a client. */
#define CONTROL_CLIENTS_MAX 64
/* A peer that connects and says nothing is dropped. */
#define AUTH_WAIT_MS 5000
/* Answers a peer does not read; a doorbell is 20 bytes, so this is a dead peer. */
#define CONTROL_OUT_BYTES_MAX (256u << 10)

/* Input that waits for the child; then the sender is not read from (backpressure). */
#define INPUT_BYTES_MAX (256u << 10)
/* The largest command is an INPUT that fills the queue. */
#define CONTROL_FRAME_LENGTH_MAX (INPUT_BYTES_MAX + 64u)
/* N_TTY keeps 4,096 bytes of an unfinished line and drops the rest (I2). */
#define TTY_LINE_BYTES_MAX 4095u

/* One read from a pipe; also the largest output frame. */
#define READ_BYTES_MAX (1u << 18)
/*
 * What a pipe that ran full grows to: the command fills one half while we journal the other. Twice as much gained nothing, and
 * users have 64 MiB for all their pipes.
 */
#define PIPE_GROWN_BYTES (2u * READ_BYTES_MAX)
/* A read as long as an unpatched pipe says that the pipe ran full. */
#define PIPE_DEFAULT_BYTES (64u << 10)
/* Reads of one descriptor per turn of the loop, so that control is heard during a flood. */
#define READS_PER_TURN 4
/* What an idle shim keeps of its read buffer; the rest goes back to the kernel. */
#define BUFFER_KEPT_BYTES (64u << 10)

/* What the kernel counts a root's reads and writes in, the same numbers as in its /proc/PID/io. */
#define RUSAGE_BLOCK_BYTES 512u
#define META_BYTES_MAX (64u << 10)
#define RUN_ID_BYTES_MAX 31u
#define INSTANCE_BYTES_MAX 63u
#define ACTOR_BYTES_MAX 127u
#define ARGS_MAX 65536u
#define ENV_MAX 65536u
#define RLIMITS_MAX 16u
#define GROUPS_MAX 64u
/* Places that a confined command may reach: the system's take about thirty, a person's own trees a handful. */
#define GRANTS_MAX 64u
/* PATH_MAX of the kernel, without the NUL. */
#define GRANT_PATH_BYTES_MAX 4095u
/* A shield hides, keeps and pins a few dozen places; a person may name some more. */
#define SHIELD_STEPS_MAX 256u
/* Namespaces that spawnd keeps: one for each working tree and setting that is in use. */
#define SHIELDS_KEPT_MAX 16u
/* Making one takes less than a millisecond; a dead mount may hold it, and spawnd with it, for this long at most. */
#define SHIELD_MAKE_MS 2000u
/* One that could not be made is not tried again before this. */
#define SHIELD_RETRY_MS 1000u
/*
 * The last priority takes what others leave: SCHED_IDLE, which any other process that wakes up displaces at once. Nice alone leaves
 * sixty busy loops the weight of an ordinary process, and whoever wakes up waits for their slices.
 */
#define NICE_IDLE 19
/* A segment holds its header and at least one page's worth of frames. */
#define SEGMENT_BYTES_MIN 4096u
/* Deadlines are added to the clock: far below the overflow, and longer than any machine runs. */
#define DEADLINE_MS_MAX (1ull << 53)
/* The calls between clone and exec are a few frames deep. */
#define CHILD_STACK_BYTES (64u << 10)

/* Kept allocated ahead of output so that exit and two ends always fit (J4): 750 + 2 * 550 bytes in their short form. */
#define EXIT_RESERVE_BYTES 2048u
/* How much of the actor a short form keeps; escaped it may be six times as long. */
#define SHORT_ACTOR_BYTES 32u
/* The first block comes with the first byte; tiny runs need no fallocate. */
#define FIRST_BLOCK_BYTES 4096u
/* J4: below min(own bytes, this) of free space a run stops writing output: the largest runs stop first. */
#define FREE_SPACE_FLOOR_BYTES (256ull << 20)
/* statvfs is asked once per so much output. */
#define FREE_SPACE_CHECK_BYTES (4ull << 20)
#define BLOCKED_RETRY_MS 250
/* After the root's exit: what waits for room is not given up before this, and after it only if somebody ends the run. */
#define BLOCKED_DRAIN_MS 5000

/*
 * The longest wait for a turn to journal output (throttle.h). At the usual rate of an account, 300 runs that flood at once stay
 * below it; with more of them the rate is exceeded, and none looks dead.
 */
#define THROTTLE_WAIT_MS_MAX 5000ull
/* At a byte a second it takes 35 years to earn, and the sum of times does not overflow. */
#define RATE_BURST_BYTES_MAX (1ull << 30)

/* A journal this small travels in the END message: no reader needs to open it. */
#define INLINE_JOURNAL_BYTES_MAX (16u << 10)
#define RECORD_BYTES_MAX 8192u
#define LISTED_PROCESSES_MAX 16u

/* A terminal hands its last bytes over in a kernel worker; EAGAIN is not the end before this. */
#define PTY_DRAIN_MS 50
/* T4: helpers on their way out are not leftovers. */
#define LEFTOVERS_SETTLE_MS 100
/* T1: how often a kill is repeated, and how often survivors are tried again after giving up. */
#define KILL_REPEAT_MS 10
/* T2: whoever was there before the warning and was missed gets it within this time. */
#define WARN_REPEAT_MS 50
/* Scans that one termination step may take before the loop is heard again. */
#define KILL_ROUNDS_MAX 64
#define SURVIVOR_RETRY_MS 1000

/* Doorbells: a burst for typing, then a steady rate; bulk output rings every few milliseconds. */
#define DOORBELL_BURST 64
#define DOORBELL_PER_MS 2
#define DOORBELL_BULK_MS 4
#define DOORBELL_SMALL_BYTES 4096u
/* A doorbell brings up to this much of the journal with it: a key's echo, a line. */
#define DOORBELL_TAIL_BYTES_MAX 512u

/* The longest sequence that a key or a mouse makes, roundly. */
#define KEY_BYTES_MAX 64u
/* How long the answer to a key waits for its echo. The clock has milliseconds: this is one to two. */
#define LINGER_MS 2
/* How much was typed is recorded this long after the first key, once for all of them. */
#define TYPED_RECORD_MS 200

/* E2: a removed socket is bound again at the next look. */
#define SOCKET_CHECK_MS 30000
/* Out of descriptors: a connection that cannot be accepted is looked at again after this, not at once for ever. */
#define ACCEPT_RETRY_MS 100
/* A peer that is frozen may keep an ended shim this long; the journal has everything. */
#define FLUSH_MS 10000

/* spawnd: what may wait for a slow or frozen gateway before shims are no longer read from (S2). */
#define MUX_OUT_BYTES_MAX (4u << 20)
/* Above the first shims are not read from, below the second they are again. */
#define MUX_FULL_BYTES (2u << 20)
#define MUX_ROOM_BYTES (256u << 10)
/* Requests: the buffer grows by this, and a read is never shorter than a quarter of it. */
#define MUX_IN_STEP_BYTES (256u << 10)
#define RELAY_BYTES (64u << 10)
/* T8: how long what a killed shim left is killed again and again before it is reported as left. */
#define SWEEP_MS 5000

/* listen: an agent has one connection, and a few more for agents of its own. */
#define LISTEN_PROGRAMS_MAX 16
/* A run starts right after its listener; longer than any start may take (S2). */
#define LISTEN_START_MS 60000
/* How often a run that has not started yet is looked for. */
#define LISTEN_LOOK_MS 50
/* A tool server ends within milliseconds; one that does not is killed. */
#define LISTEN_END_MS 5000

/* relay: one message of the protocol fits mostly; longer ones take turns. */
#define RELAY_BUFFER_BYTES (64u << 10)
/* A listener that is started anew is there within this time. */
#define RELAY_CONNECT_MS 10000
#define RELAY_RETRY_MS 50

/* One line of evidence: the longest is an offered host key, an RSA one of 16,384 bits. */
#define REPORT_LINE_BYTES_MAX 4096u
/* OpenSSH's own limit for a packet of the control socket. */
#define MASTER_PACKET_BYTES_MAX (256u << 10)
/* The kernel's limit for one argument, which the command line is for the host's login shell. */
#define HOST_COMMAND_BYTES_MAX 131071u
#define TERMINAL_TYPE_BYTES_MAX 128u
/* The longest request and three descriptors, with what the kernel counts for holding them. */
#define SEND_ROOM_BYTES (512 << 10)
/* How much of a refusal's text is reported. */
#define REFUSAL_BYTES_MAX 200u
/* `␞CLF1 nonce pid ticks boot`: a nonce of up to 64, two numbers of 20 digits, a boot id of 36. */
#define HOST_HEADER_BYTES_MAX 192u
#define NONCE_BYTES_MIN 8u
#define NONCE_BYTES_MAX 64u
/* `CLF-SWEPT found left`. */
#define SWEPT_LINE_BYTES_MAX 64u
/* Opening a session: two round trips on a bad line, and a login shell's slow files. */
#define OPEN_MS_DEFAULT 30000u
/* The script asks nicely for some seconds before it kills. */
#define SWEEP_MS_DEFAULT 15000u
#define MUX_MS_MAX 3600000u
/* A master answers this by itself; one that does not in this time is stopped or stuck. */
#define ALIVE_MS 2000u
/* The longest pause before TCP sends again what was not acknowledged; the kernel takes no less. */
#define DIAL_SEND_AGAIN_MS 1000
/* Later than ssh itself gives up on a silent host. */
#define DIAL_GIVE_UP_MS 180000u
/* The kernel's number for it, which older headers do not have. */
#define TCP_RTO_MAX_MS_OPTION 44
/* The master's queue of connections is full: the next try. */
#define CONNECT_RETRY_MS 5u
/* A session was refused: the first pause before it is asked for again, doubled each time up to the longest. */
#define REFUSED_RETRY_MS 20u
#define REFUSED_RETRY_MS_MAX 500u
/* After its processes are ended, a session's last output and its code come within a round trip. */
#define LAST_WORDS_MS 2000u
/* A sweep found nothing, and the session is open: its command is still about to start. */
#define SWEEP_AGAIN_MS 100u
/* door: a process for each connection, and sshd allows ten sessions as a rule. */
#define DOOR_CONNECTIONS_MAX 64
/* Answers are a few bytes: who has not taken them by then does not read. */
#define DOOR_SEND_SECONDS 10
/* What is read at once to be passed on. */
#define PASS_BYTES (64u << 10)

/* Host keys that a host may be pinned to: one of each type, and a few while they change. */
#define PINS_MAX 16u
#define PIN_FILE_BYTES_MAX (32u << 10)
#define KEY_TYPE_BYTES_MAX 64u
/* base64 of an RSA key of 16,384 bits. */
#define KEY_BLOB_BYTES_MAX 2800u
#define KEY_ALIAS_BYTES_MAX 128u
#define DIAL_MS_MAX 600000u

#endif
