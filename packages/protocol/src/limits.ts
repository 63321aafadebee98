/*
 * The numbers of the exec and process tools, in one place (watchdog defaults included). They are what users of such tools
 * are used to; change one only with a reason beside it.
 */
export const execLimits = {
  yieldMs: { least: 10, usual: 10_000, most: 120_000 },
  /* 0 is none. We cannot watch an SSH host itself, so a command there gets less. */
  timeoutSeconds: { usualLocal: 1_800, usualRemote: 120, most: 30 * 86_400 },
  noOutputTimeoutSeconds: { most: 30 * 86_400 },
  terminal: { cols: 120, rows: 30, most: 1_000 },
  /* The kernel refuses longer single arguments (MAX_ARG_STRLEN is 128 KiB). */
  commandCharactersMax: 131_071,
  argumentsMax: 10_000,
  environmentEntriesMax: 1_000,
  stdinCharactersMax: 10_000_000,
} as const;

export const processLimits = {
  pollWaitMs: { usual: 0, most: 30_000 },
  logLines: { usual: 200, most: 10_000 },
  listRows: { usual: 50, most: 1_000 },
  /* What `poll` suggests while nothing happens; it starts over on output. */
  retryInMs: [5_000, 10_000, 30_000, 60_000],
  /* Silence after which an open stdin means: it waits for us. */
  waitingForInputMs: 15_000,
  keysMax: 1_000,
  /* As much as exec takes at the start. */
  inputCharactersMax: 10_000_000,
} as const;

/* What a tool returns of a run's output; the journal keeps every byte. */
export const outputCharactersMax = 200_000;

/* An approval that is not decided in this time becomes a denial. */
export const approvalLifetimeMs = 30 * 60_000;
