/*
 * Registry, version 4: what a person has decided can be looked back at. Immutable once released, as version 1 is.
 *
 * - A rule has an id, by which it is named and revoked, and says how often it let something start. A revoked one stays as a record
 *   for a while; only those that hold are unique.
 * - `allow_rules_use` counts in the transaction that records a run: the run's label `allowedBy` names those that let it start. Text is
 *   searched and not parsed, because a label of an older run may hold anything.
 * - `told_state` and `is_told` say how far a gateway has taken decisions into its audit log. They may have been made while none ran.
 */
export const migration0004 = {
  version: 4,
  sql: `
ALTER TABLE allow_rules RENAME TO allow_rules_before;

CREATE TABLE allow_rules (
  seq              INTEGER PRIMARY KEY,
  rule_id          TEXT NOT NULL UNIQUE,
  account          TEXT NOT NULL,
  named_path       TEXT NOT NULL,
  real_path        TEXT NOT NULL,
  approval_id      TEXT NOT NULL,
  added_by         TEXT NOT NULL,
  added_at_ms      INTEGER NOT NULL,
  used_count       INTEGER NOT NULL DEFAULT 0,
  last_used_at_ms  INTEGER,
  revoked_by       TEXT,
  revoked_at_ms    INTEGER,
  is_told          INTEGER NOT NULL DEFAULT 0
) STRICT;

INSERT INTO allow_rules (seq, rule_id, account, named_path, real_path, approval_id, added_by, added_at_ms)
  SELECT seq, lower(hex(randomblob(8))), account, named_path, real_path, approval_id, added_by, added_at_ms
  FROM allow_rules_before;

DROP TABLE allow_rules_before;

CREATE UNIQUE INDEX allow_rules_holding ON allow_rules (account, named_path, real_path) WHERE revoked_at_ms IS NULL;
CREATE INDEX allow_rules_untold ON allow_rules (seq) WHERE revoked_at_ms IS NOT NULL AND is_told = 0;

CREATE TRIGGER allow_rules_use AFTER INSERT ON runs
WHEN NEW.backend_id = 'exec' AND NEW.labels ->> '$.allowedBy' LIKE 'rule:%'
BEGIN
  UPDATE allow_rules SET used_count = used_count + 1, last_used_at_ms = NEW.created_at_ms
    WHERE revoked_at_ms IS NULL
      AND instr(',' || (NEW.labels ->> '$.allowedBy') || ',', ',rule:' || rule_id || ',') > 0;
END;

ALTER TABLE approvals ADD COLUMN told_state INTEGER NOT NULL DEFAULT 0;
CREATE INDEX approvals_untold ON approvals (seq) WHERE decision IS NOT NULL AND told_state <> state;
`,
} as const;
