/*
 * Every limit of the supervisor, with the reason beside it. What holds for SQLite in general is in packages/sqlite.
 *
 * Units are in the names. A number that a caller may change is a default here
 * and a field of an input elsewhere; a number without such a field is fixed.
 */

/* --- Ownership (O1) ------------------------------------------------------ */

/** Three beats fit into one lease, so two may be lost to a slow disk. */
export const heartbeatMs = 5_000;
/** Long enough for a stalled laptop disk, short enough that a person waits it out. */
export const leaseMs = 15_000;
/** Rows taken per transaction while runs are taken over: 256 keep the event loop busy for about 3 ms. */
export const takeRunsPerWriteMax = 256;

/* --- Starting and stopping (S2, T2) --------------------------------------- */

/** SIGTERM to SIGKILL; enough for a database or a dev server to flush. */
export const graceMs = 5_000;
/** An hour; longer is a deadline, not a grace. */
export const graceMsMax = 3_600_000;
/** SIGKILL to giving up: only uninterruptible, frozen or foreign-uid processes need longer (T1). */
export const killMs = 2_000;
/** Reaching `exec`; a working directory on a dead mount never gets there (S2). */
export const startMs = 30_000;
/** How often a start is asked for in all, of a new spawnd each time: one that dies under three starts does not live. */
export const launchesMax = 3;

/** A run directory that took this long was slow: ten times what it usually takes. */
export const intentSlowMs = 0.2;
/** So many in a row are the disk's doing, not the scheduler's. */
export const intentsSlowMax = 4;
/** How long directories are then made beside the event loop before the next try; what is slow stays so for minutes. */
export const intentBesideMs = 2_000;

/** Beyond the ladder's own time, for the end of a replaced run to be recorded. */
export const scopeMarginMs = 3_000;

/* --- Journal (J3) ---------------------------------------------------------- */

/** The unit a ring drops: small against the cap, large against the cost of a file. */
export const segmentBytes = 64 * 1024 * 1024;
/** All segments of a run; a build that logs for a day fits, a runaway loop does not fill the disk. */
export const journalBytesMax = 1024 * 1024 * 1024;
/** Four segments of a quarter each must hold a record and some output. */
export const journalBytesMin = 64 * 1024;

/** What the shim takes: its sums of times must not overflow. */
export const rateBurstBytesMax = 1024 * 1024 * 1024;

/* --- What a spawn may carry ------------------------------------------------- */

/** The protocol's run id field holds 32 bytes with its NUL; it is also a directory's name. */
export const runIdCharsMax = 31;
/** The kernel refuses a longer single string with E2BIG (MAX_ARG_STRLEN, 32 pages). */
export const argumentBytesMax = 128 * 1024;
/** One shim message holds 1 MiB; the rest is left for paths and the meta frame. */
export const argumentsAndEnvironmentBytesMax = 896 * 1024;
/** Far above any real command line; bounds the loop that checks them. */
export const argumentsMax = 16_384;
/** The journal's meta frame takes 64 KiB (protocol); labels are its only open-ended part. */
export const labelsMax = 64;
export const labelCharsMax = 512;
/** What the shim takes; the places that a command may reach are trees, not single files. */
export const grantsMax = 64;
/** PATH_MAX of the kernel, without the NUL. */
export const grantPathBytesMax = 4_095;
/** Session, backend and scope names are index keys: long ones make every page worse. */
export const nameCharsMax = 512;
/** The kernel takes no longer path (PATH_MAX). */
export const directoryCharsMax = 4_096;
/** What `ps` shows; the whole command is in the journal's meta frame. */
export const commandCharsMax = 4_096;

/* --- Registry --------------------------------------------------------------- */

/** First and longest pause before a run's commit is tried again; the journal has it meanwhile. */
export const commitRetryMs = 50;
export const commitRetryMsMax = 5_000;
/** A read meets a lock only while another process recovers the log; then it may block this long. */
export const readBusyMs = 20;
/** Page cache of the connection: 100,000 runs' indexes fit. */
export const registryCacheKib = 8_192;
/** Logged, estimated from rows, commits and their values, before the log is looked at: about 3,000 runs. */
export const logBytesPerCheck = 35 * 1024 * 1024;
/** A shorter log is left alone: folding it in would bring nothing. */
export const logBytesMin = 8 * 1024 * 1024;
/** A log that has grown beyond this is cut when it begins anew: more than runs alone write between two checks. */
export const logBytesKept = 48 * 1024 * 1024;
/** How long folding in waits for others' reads and writes; nothing else can be written meanwhile. */
export const logBusyMs = 100;
/** Pages without content are given back beyond this, if they are more than half of the file; less is used again soon. */
export const freeBytesMax = 32 * 1024 * 1024;
/** Rows `list` returns when the caller names no limit. */
export const listRowsDefault = 1_000;
/** Unacknowledged durable input per run; the child's own buffers come on top (I1). */
export const outboxBytesMax = 16 * 1024 * 1024;
/** Of it that is read and sent at a time: an owner that takes over many runs holds so much of each. */
export const inputPieceBytes = 256 * 1024;
/** Dead owners that own nothing are forgotten beyond this many; `doctor` shows the rest. */
export const ownersKeptMax = 64;

/** Asking a shim why it stands still: it answers in milliseconds, or it is shown without. */
export const stallLookMs = 1_000;
/** Connections to shims at a time, for a list of runs. */
export const stallLooksAtOnceMax = 64;

/* --- Retention ---------------------------------------------------------------- */

export const usualRetention = {
  /** A week: longer than a weekend, short enough that nothing is planned around it. */
  ageMs: 7 * 24 * 60 * 60 * 1000,
  /** Finished runs kept, the newest ones. */
  runsMax: 1_000,
  /** Journals of finished runs together. */
  bytesMax: 10 * 1024 * 1024 * 1024,
} as const;
/** An empty run directory without a record is a spawn under way until then; a start takes 35 s at most. */
export const strayAgeMs = 10 * 60 * 1000;
/** Entries deleted from the trash per step: unlinking in bulk slows creation on ext4. */
export const trashEntriesPerStep = 16;
/** Pause between steps, so that deleting is never the busiest thing on the disk. */
export const trashPauseMs = 50;

/* --- Reconciliation ------------------------------------------------------------- */

/** Connections to shims that are tried side by side; more only queue in the kernel. */
export const reconcileAtOnceMax = 64;

/** A root that was sent SIGKILL is looked at so often, so long: two seconds, as long as a shim gives (killMs). */
export const endRootLookMs = 20;
export const endRootLooks = 100;

/** A start takes a few milliseconds: six looks with growing pauses are 300 ms, ample on a loaded machine. */
export const startingLooksMax = 6;
export const startingLookMs = 20;

/* --- Following a shim ----------------------------------------------------------- */

/** First and longest pause before a shim that cannot be reached is tried again (O5: for ever). */
export const followRetryMs = 20;
export const followRetryMsMax = 2_000;
/** Beyond the shim's own start limit: after this an unclaimed intent is voided (S1, S2). */
export const claimMarginMs = 5_000;
/** How often starting runs are looked at. */
export const startLookMs = 1_000;

/* --- Terminals ---------------------------------------------------------------- */

/** The size that agents' tools expect (docs/tools.md). */
export const terminalCols = 120;
export const terminalRows = 30;
