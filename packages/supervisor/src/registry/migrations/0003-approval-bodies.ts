/*
 * Registry, version 3: what a caller chooses the size of lies apart from what lists read. Immutable once released, as version 1
 * is.
 *
 * - `approvals` has small rows: who asked, for whom, when, what was decided, and the command as it is shown, cut. What is
 *   looked at without being shown comes first, so that a look at many rows reads no row to its end.
 * - `approval_bodies` has what a start needs, as long as there may be one. `approvals_over` drops it in the transaction that ends
 *   the approval, in whatever process: by a decision, a withdrawal, a start or the passing of time.
 * - `body_bytes` stays: it says how much was dropped, and while it waits how much waits.
 * - Rows of version 2 are copied one by one inside SQLite, which holds one at a time; bodies of those that are over are not
 *   copied at all. Text that is no JSON any more was changed by others: it reads as denied, and must not stop an opening.
 * - `runs_backend` finds the runs of one backend without reading those of all others.
 */
export const migration0003 = {
  version: 3,
  sql: `
DROP TRIGGER approvals_start;
DROP INDEX approvals_open;
ALTER TABLE approvals RENAME TO approvals_before;

CREATE TABLE approvals (
  seq              INTEGER PRIMARY KEY,
  state            INTEGER NOT NULL,
  boot_id          TEXT NOT NULL,
  lapses_boot_ms   REAL NOT NULL,
  created_at_ms    INTEGER NOT NULL,
  expires_at_ms    INTEGER NOT NULL,
  body_bytes       INTEGER NOT NULL,
  account          TEXT NOT NULL,
  approval_id      TEXT NOT NULL UNIQUE,
  run_id           TEXT NOT NULL UNIQUE,
  action_hash      TEXT NOT NULL,
  host             TEXT NOT NULL,
  requester        TEXT NOT NULL,
  requester_marks  TEXT NOT NULL,
  decision         TEXT,
  decided_by       TEXT,
  decided_at_ms    INTEGER,
  decision_reason  TEXT,
  started_at_ms    INTEGER,
  labels           TEXT,
  why              TEXT NOT NULL,
  cwd              TEXT NOT NULL,
  command          TEXT NOT NULL
) STRICT;

CREATE TABLE approval_bodies (
  seq          INTEGER PRIMARY KEY,
  action       TEXT NOT NULL,
  request      TEXT NOT NULL,
  search_path  TEXT NOT NULL
) STRICT;

INSERT INTO approval_bodies (seq, action, request, search_path)
  SELECT seq, action, request, search_path FROM approvals_before WHERE state < 2;

INSERT INTO approvals (seq, state, boot_id, lapses_boot_ms, created_at_ms, expires_at_ms, body_bytes, account, approval_id,
  run_id, action_hash, host, requester, requester_marks, decision, decided_by, decided_at_ms, decision_reason, started_at_ms,
  labels, why, cwd, command)
  SELECT seq, state, boot_id, lapses_boot_ms, created_at_ms, expires_at_ms,
    octet_length(action) + octet_length(request) + octet_length(search_path),
    CASE WHEN json_valid(action) THEN coalesce(json_extract(action, '$.account'), '') ELSE '' END,
    approval_id, run_id, action_hash,
    CASE WHEN json_valid(action) THEN coalesce(json_extract(action, '$.host'), '') ELSE '' END,
    substr(requester, 1, 512), requester_marks, decision, decided_by, decided_at_ms, substr(decision_reason, 1, 512),
    started_at_ms,
    CASE WHEN json_valid(request) THEN json_extract(request, '$.labels') END,
    substr(why, 1, 1024),
    CASE WHEN json_valid(action) THEN substr(coalesce(json_extract(action, '$.cwd'), ''), 1, 4096) ELSE '' END,
    CASE
      WHEN NOT json_valid(action) THEN '{"kind":"argv","argv":[""]}'
      WHEN octet_length(coalesce(json_extract(action, '$.command'), '')) BETWEEN 1 AND 4096
        THEN json_extract(action, '$.command')
      WHEN json_extract(action, '$.command.kind') = 'line' THEN json_object('kind', 'line',
        'shell', substr(coalesce(json_extract(action, '$.command.shell'), ''), 1, 4096),
        'line', substr(coalesce(json_extract(action, '$.command.line'), ''), 1, 4095) || '…')
      ELSE json_object('kind', 'argv', 'argv',
        json_array(substr(coalesce(json_extract(action, '$.command.argv'), ''), 1, 4095) || '…'))
    END
  FROM approvals_before;

DROP TABLE approvals_before;

CREATE INDEX approvals_account ON approvals (account, state);
CREATE INDEX approvals_waiting ON approvals (account, body_bytes) WHERE state < 2;
CREATE INDEX approvals_age ON approvals (created_at_ms) WHERE state >= 2;

CREATE TRIGGER approvals_start AFTER INSERT ON runs
WHEN EXISTS (SELECT 1 FROM approvals WHERE run_id = NEW.run_id)
BEGIN
  SELECT RAISE(ABORT, 'the run is held by an approval')
    FROM approvals WHERE run_id = NEW.run_id AND state <> 1;
  UPDATE approvals SET state = 2, started_at_ms = NEW.created_at_ms WHERE run_id = NEW.run_id;
END;

CREATE TRIGGER approvals_over AFTER UPDATE OF state ON approvals WHEN NEW.state >= 2
BEGIN
  DELETE FROM approval_bodies WHERE seq = NEW.seq;
END;

CREATE INDEX runs_backend ON runs (backend_id);
`,
} as const;
