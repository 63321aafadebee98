/*
 * What is found on a disk after its power was cut: between fixtures/power-cuts.ts and the test.
 */
export interface CutReport {
  readonly cut: number;
  /** Writes that had been acknowledged at that moment. */
  readonly acknowledged: number;
  /** Of these, how many are not there. */
  readonly missing: number;
  readonly doubled: number;
  readonly isGapless: boolean;
  readonly problems: readonly string[];
}
