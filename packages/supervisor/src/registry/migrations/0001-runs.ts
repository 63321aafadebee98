/*
 * Registry, version 1. Immutable once released: a change is a new migration,
 * and a test holds this text's hash.
 *
 * - `instances` has one row per state directory identity (O6) and its highest
 *   generation; a copied directory brings its old row along, as a foreign one.
 * - `owners` has one row per supervisor process (O1). Lease times are monotonic
 *   milliseconds of `boot_id` (C1): wall time may jump, this does not.
 * - `runs` carries the epoch that fences every write (O3). `state` is a number
 *   (0 starting, 1 running, 2 exiting, 3 exited) so that "live" is a comparison.
 * - `runs_open` holds only what is live or still has a tree, so reconciliation
 *   and `ps` cost the same at ten records and at a hundred thousand.
 * - `input_outbox` is committed before input is sent (I1).
 */
export const migration0001 = {
  version: 1,
  sql: `
CREATE TABLE instances (
  instance_no INTEGER PRIMARY KEY,
  instance_id TEXT NOT NULL UNIQUE,
  generation  INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE owners (
  instance_no         INTEGER NOT NULL,
  generation          INTEGER NOT NULL,
  pid                 INTEGER NOT NULL,
  start_ticks         INTEGER NOT NULL,
  boot_id             TEXT NOT NULL,
  pid_namespace       INTEGER NOT NULL,
  lease_expires_at_ms INTEGER NOT NULL,
  started_at_ms       INTEGER NOT NULL,
  released_at_ms      INTEGER,
  revoked_at_ms       INTEGER,
  PRIMARY KEY (instance_no, generation)
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
  seq                 INTEGER PRIMARY KEY,
  run_id              TEXT NOT NULL UNIQUE,
  state               INTEGER NOT NULL,
  epoch               INTEGER NOT NULL,
  owner_instance_no   INTEGER NOT NULL,
  owner_generation    INTEGER NOT NULL,
  session_id          TEXT NOT NULL,
  backend_id          TEXT NOT NULL,
  labels              TEXT,
  scope_key           TEXT,
  mode                TEXT NOT NULL,
  command             TEXT NOT NULL,
  cwd                 TEXT NOT NULL,
  lease_id            TEXT NOT NULL,
  boot_id             TEXT NOT NULL,
  pid_namespace       INTEGER NOT NULL,
  owner_loss          TEXT NOT NULL,
  leftovers           TEXT NOT NULL,
  overall_ms          INTEGER,
  no_output_ms        INTEGER,
  created_at_ms       INTEGER NOT NULL,
  updated_at_ms       INTEGER NOT NULL,
  pid                 INTEGER,
  process_group_id    INTEGER,
  job_id              TEXT,
  start_ticks         INTEGER,
  shim_pid            INTEGER,
  shim_start_ticks    INTEGER,
  run_dir_dev         INTEGER,
  run_dir_ino         INTEGER,
  started_at_ms       INTEGER,
  last_output_at_ms   INTEGER,
  input_offset        INTEGER NOT NULL DEFAULT 0,
  exit                TEXT,
  exit_reason         TEXT,
  ended_at_ms         INTEGER,
  tree_ended_at_ms    INTEGER,
  journal_bytes       INTEGER,
  removed_at_ms       INTEGER
) STRICT;

CREATE INDEX runs_open ON runs (state) WHERE tree_ended_at_ms IS NULL;
CREATE UNIQUE INDEX runs_scope ON runs (scope_key) WHERE scope_key IS NOT NULL AND state < 3;
CREATE INDEX runs_session ON runs (session_id);

CREATE TABLE run_labels (
  name  TEXT NOT NULL,
  value TEXT NOT NULL,
  seq   INTEGER NOT NULL,
  PRIMARY KEY (name, value, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE input_outbox (
  run_id TEXT NOT NULL,
  offset INTEGER NOT NULL,
  bytes  BLOB NOT NULL,
  PRIMARY KEY (run_id, offset)
) STRICT, WITHOUT ROWID;
`,
} as const;
