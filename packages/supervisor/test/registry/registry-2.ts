/*
 * A registry as version 2 left it, with approvals of any size, and what a request of the largest size was then.
 */
import { DatabaseSync } from 'node:sqlite';
import { migrate, migrations } from '../../src/registry/migrate.ts';

export interface OldApproval {
  readonly approvalId: string;
  /* 0 pending, 1 allowed, 2 started, 3 denied, 4 expired. */
  readonly state: number;
  readonly action: string;
  readonly request: string;
  readonly account?: string;
}

/** The file must not exist, and its directory must. */
export function writeRegistry2(file: string, approvals: Iterable<OldApproval>): void {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; BEGIN');
  migrate(db, migrations.slice(0, 2));
  const insert =
    db.prepare(`INSERT INTO approvals (approval_id, run_id, state, action_hash, action, request, search_path,
    requester, requester_marks, why, boot_id, lapses_boot_ms, created_at_ms, expires_at_ms)
    VALUES (?, ?, ?, 'hash', ?, ?, '/usr/bin', 'mcp:test', '[]', 'because', 'boot', 1000, 1, 2)`);
  for (const { approvalId, state, action, request } of approvals) {
    insert.run(approvalId, `run-${approvalId}`, state, action, request);
  }
  db.exec('COMMIT');
  db.close();
}

/** As `clf mcp` stored what an agent gave 120,000 characters to read. */
export function largestRequest(account: string): Pick<OldApproval, 'action' | 'request'> {
  const stdin = 'x'.repeat(120_000);
  const command = { kind: 'argv', argv: ['/bin/sh'] };
  const action = { command, cwd: '/tmp', envAdditions: {}, stdin, host: 'local', account };
  const labels = { request: 'label' };
  return { action: JSON.stringify(action), request: JSON.stringify({ action, stdin, labels }) };
}
