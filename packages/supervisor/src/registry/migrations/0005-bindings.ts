/*
 * Registry, version 5: an approval is bound to its directory and to the files that its command names. Immutable once released, as
 * version 1 is.
 *
 * - `binding` lies with the body and goes with it. It is null where nothing is bound, as of every request of version 4.
 * - A new state (5 changed) is for what was allowed and is bound to something that was another at the start. `changed` says what it was,
 *   `asked_again_as` is the approval that was asked for instead, in the same transaction. It counts as over: the triggers of version 3
 *   drop its body and refuse its run.
 * - `asked_hash` is of what was asked alone, so that the same request made twice is known by it although a file has changed in between.
 *   A program of version 4 that is still running reads a bound approval as denied: its hash is of something that it does not know.
 */
export const migration0005 = {
  version: 5,
  sql: `
ALTER TABLE approval_bodies ADD COLUMN binding TEXT;
ALTER TABLE approvals ADD COLUMN asked_hash TEXT;
ALTER TABLE approvals ADD COLUMN changed TEXT;
ALTER TABLE approvals ADD COLUMN asked_again_as TEXT;
`,
} as const;
