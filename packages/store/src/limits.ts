/*
 * Every limit of the control database, with the reason beside it. What holds for SQLite in general is in packages/sqlite.
 */

/* --- SQLite ----------------------------------------------------------------- */

/** One stay in SQLite: a longer batch is committed in parts, so that sockets are served in between. */
export const batchMsMax = 10;
/** A reader meets a lock only while another process recovers the log after a crash. */
export const readBusyMs = 50;
/** Pages of the cache, in KiB: the hot part of a busy gateway's indexes. */
export const cacheKib = 32 * 1024;
/** A log that a long read or a large write has made longer is cut when it begins anew; usually it has 4 MiB (1,000 pages). */
export const logBytesKept = 16 * 1024 * 1024;
/** Pages copied per step of a backup; a step holds the connection for well under a millisecond. */
export const backupPagesPerStep = 256;

/** How often a small database is checked page by page, if it is asked for its health; some ten milliseconds of event loop. */
export const deepCheckMs = 60_000;
export const deepCheckBytesMax = 16 * 1024 * 1024;

/* --- PostgreSQL --------------------------------------------------------------- */

/** All SQL is assembled from fixed parts; lists of rows have at most `rowsPerInsertMax`. */
export const statementsCachedMax = 512;

/** Connections per gateway: PostgreSQL allows 100 by default, and several gateways share them. */
export const poolMax = 10;
/** A server that does not accept a connection in this time is down for us. */
export const connectMs = 5_000;
/** One statement. Ours touch few rows; what takes longer is stuck. */
export const statementMs = 10_000;
/** The client's own limit: longer than the server's, so that it only speaks when no answer can come. */
export const answerMs = statementMs + 2_000;
/** All attempts of one transaction together, below the API's 30 s. */
export const retryForMs = 15_000;
/** Two that raced past each other's check settle at the second attempt; a real duplicate stays one. */
export const duplicateAttemptsMax = 3;
export const retryPauseMs = 2;
export const retryPauseMsMax = 250;

/* --- Rows --------------------------------------------------------------------- */

/** Lists of the API: 20 by default, 100 at most. */
export const listLimitDefault = 20;
export const listLimitMax = 100;
/** Rows that one transaction of the clean-up touches: a few milliseconds, and other writes come in between. */
export const cleanupRowsMax = 500;
/** Transactions per table and call: more than a busy gateway makes between two calls, a minute apart. */
export const cleanupBatchesMax = 20;
/** Rows of one insert: each number up to it is a statement of its own, which both databases keep prepared. */
export const rowsPerInsertMax = 32;
/** Longer texts of threads are blobs: what reads a thread's rows to decide something does not carry pictures along. */
export const inlineBytesMax = 64 * 1024;
/** What a list shows of such a text: some lines of each part, and less than a screen of all. */
export const briefLimits = { textMax: 2_048, charactersMax: 6_144 };
/** How often a thread is read anew because it was changed meanwhile, before it is read in a transaction. */
export const looseReadsMax = 3;
/** Turns that one change of a thread may add; one is usual. */
export const turnsPerChangeMax = 1_000;
/** Threads above a thread. Each row carries them all, and none that a person reads is deeper; agents have a smaller bound (settings). */
export const ancestorsMax = 16;
/** Lanes that one look at the queue goes through: agents times accounts with turns that are ready. The rest is for the next look. */
export const readyLanesMax = 1_000;
/** Runs that one transaction of the clean-up removes: each has some hundred calls and asks. */
export const runsForgottenAtOnce = 20;
/** Looks at what turns have left that are read at once, as a page. */
export const looksAtOnceMax = 64;
/** What an idempotency key may keep: an API answer. */
export const resultBytesMax = 256 * 1024;

/* --- Time --------------------------------------------------------------------- */

/** How long an idempotency key is kept (docs/store.md). */
export const idempotencyMs = 24 * 3_600_000;
/** How long an OAuth state or a login link can be used (docs/auth.md). */
export const signInMs = 10 * 60_000;
/** How long a token lasts after its last use, and at most (docs/auth.md). */
export const tokenSlidingMs = 30 * 24 * 3_600_000;
export const tokenMsMax = 90 * 24 * 3_600_000;
/** How long ended sessions, devices and tokens can still be asked about. */
export const endedKeptMs = 30 * 24 * 3_600_000;
/** Starts of gateways, for those who come back to a thread. */
export const startsKeptMs = 90 * 24 * 3_600_000;
/** Audit entries, unless the gateway is told otherwise: long enough for a yearly review. */
export const auditKeptMs = 365 * 24 * 3_600_000;
/** An account's events: a client that was away for longer takes a snapshot. */
export const eventsKeptMs = 30 * 24 * 3_600_000;
/** A token's last use is written at most this often: a read must not cost a commit. */
export const lastUsedEveryMs = 60_000;
/** How long an MCP session can be taken up after its last use: as long as the token that it needs. */
export const mcpSessionMs = 30 * 24 * 3_600_000;
/** Of one account; beyond it the one that was idle longest goes. An agent begins one whenever it is started. */
export const mcpSessionsMax = 200;
/** A device that says it is looked at has said it for so long: two beats of its page, and some. A page that was put to sleep says nothing more. */
export const visibleMs = 75_000;
/** After this long in front of a person, what only wants to be seen was seen. Longer than `visibleMs`, so that a sleeping page is told. */
export const lookedMs = 120_000;
/** Devices of one account that get pushes; beyond it the oldest subscription goes. */
export const subscriptionsMax = 32;
/** Client idleness, unless the account says otherwise. */
export const idleTimeoutMs = 30 * 60_000;
export const idleTimeoutMsMin = 5 * 60_000;
export const idleTimeoutMsMax = 4 * 3_600_000;
