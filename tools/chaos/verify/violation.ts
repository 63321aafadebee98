/*
 * What a campaign found wrong, in words that tell where to look.
 */
export interface Violation {
  /* What should have been true. */
  readonly rule: string;
  readonly runId?: string;
  readonly what: string;
}

export interface Verdict {
  readonly violations: readonly Violation[];
  readonly runs: number;
  /* A crash came before anything was started; the record says so. */
  readonly voids: number;
  readonly bytesRead: number;
  readonly exits: Readonly<Record<string, number>>;
}
