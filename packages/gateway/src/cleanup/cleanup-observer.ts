/*
 * What metrics want to know of the clean-up. Calls are cheap and never throw.
 */
export interface CleanupReport {
  readonly durationMs: number;
  /* Names of steps that threw; the others were done all the same. */
  readonly failedSteps: readonly string[];
}

export interface CleanupObserver {
  ran(report: CleanupReport): void;
  /* The one before was still running. */
  skipped(): void;
}

export const silentCleanupObserver: CleanupObserver = {
  ran: () => {},
  skipped: () => {},
};
