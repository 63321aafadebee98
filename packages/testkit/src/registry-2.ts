/*
 * A registry as version 2 left it, with approvals of any size. The schema is a copy on purpose: it is what lies on people's disks,
 * whatever becomes of the source.
 */
import { DatabaseSync } from 'node:sqlite';

export interface OldApproval {
  readonly approvalId: string;
  /* 0 pending, 1 allowed, 2 started, 3 denied, 4 expired. */
  readonly state: number;
  readonly action: string;
  readonly request: string;
  /* Default: one that does not match. */
  readonly actionHash?: string;
  /* Default: in the first milliseconds of 1970. */
  readonly createdAtMs?: number;
  readonly expiresAtMs?: number;
}

/* The file must not exist, and its directory must. */
export function writeRegistry2(file: string, approvals: Iterable<OldApproval>): void {
  using db = new DatabaseSync(file);
  db.exec(
    `PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA user_version = 2; BEGIN; ${schema}`,
  );
  const insert =
    db.prepare(`INSERT INTO approvals (approval_id, run_id, state, action_hash, action, request, search_path,
    requester, requester_marks, why, boot_id, lapses_boot_ms, created_at_ms, expires_at_ms)
    VALUES (?, ?, ?, ?, ?, ?, '/usr/bin', 'mcp:test', '[]', 'because', 'boot', 1000, ?, ?)`);
  for (const old of approvals) {
    const { approvalId, state, actionHash = 'hash', createdAtMs = 1, expiresAtMs = 2 } = old;
    const ids = [approvalId, `run-${approvalId}`, state, actionHash] as const;
    insert.run(...ids, old.action, old.request, createdAtMs, expiresAtMs);
  }
  db.exec('COMMIT');
}

/* As version 2 stored what an agent gave 120,000 characters to read, which was nearly the most it could. */
export function largestRequest2(account: string): Pick<OldApproval, 'action' | 'request'> {
  const stdin = 'x'.repeat(120_000);
  const command = { kind: 'argv', argv: ['/bin/sh'] };
  const action = { command, cwd: '/tmp', envAdditions: {}, stdin, host: 'local', account };
  const labels = { request: 'label' };
  return { action: JSON.stringify(action), request: JSON.stringify({ action, stdin, labels }) };
}

const schema = `
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
`;
