/*
 * Registry, version 2: approvals, and the rules they leave behind. Immutable once released, as version 1 is.
 *
 * - `approvals` reserves a run id with a request. `state` is a number (0 pending, 1 allowed, 2 started, 3 denied, 4
 *   expired). Times to count with are monotonic milliseconds of `boot_id` (C1); the wall clock's are for people, and for a
 *   boot that is over.
 * - `approvals_start` makes "its run has a record" and "it is used up" one event: whoever inserts the run of an approval
 *   that is not `allowed` is refused, in whatever process, and the insert that succeeds uses it up. It fires after the
 *   insert, because a second spawn of a known run id inserts nothing and must stay harmless (S1). A run whose record was
 *   removed cannot be started again: its approval is used up for good.
 * - `allow_rules` are programs a person allowed for ever.
 */
export const migration0002 = {
  version: 2,
  sql: `
CREATE TABLE approvals (
  seq              INTEGER PRIMARY KEY,
  approval_id      TEXT NOT NULL UNIQUE,
  run_id           TEXT NOT NULL UNIQUE,
  state            INTEGER NOT NULL,
  action_hash      TEXT NOT NULL,
  action           TEXT NOT NULL,
  request          TEXT NOT NULL,
  search_path      TEXT NOT NULL,
  requester        TEXT NOT NULL,
  requester_marks  TEXT NOT NULL,
  why              TEXT NOT NULL,
  boot_id          TEXT NOT NULL,
  lapses_boot_ms   REAL NOT NULL,
  created_at_ms    INTEGER NOT NULL,
  expires_at_ms    INTEGER NOT NULL,
  decision         TEXT,
  decided_by       TEXT,
  decided_at_ms    INTEGER,
  decision_reason  TEXT,
  started_at_ms    INTEGER
) STRICT;

CREATE INDEX approvals_open ON approvals (state) WHERE state < 2;

CREATE TRIGGER approvals_start AFTER INSERT ON runs
WHEN EXISTS (SELECT 1 FROM approvals WHERE run_id = NEW.run_id)
BEGIN
  SELECT RAISE(ABORT, 'the run is held by an approval')
    FROM approvals WHERE run_id = NEW.run_id AND state <> 1;
  UPDATE approvals SET state = 2, started_at_ms = NEW.created_at_ms WHERE run_id = NEW.run_id;
END;

CREATE TABLE allow_rules (
  seq          INTEGER PRIMARY KEY,
  account      TEXT NOT NULL,
  named_path   TEXT NOT NULL,
  real_path    TEXT NOT NULL,
  approval_id  TEXT NOT NULL,
  added_by     TEXT NOT NULL,
  added_at_ms  INTEGER NOT NULL,
  UNIQUE (account, named_path, real_path)
) STRICT;
`,
} as const;
