/*
 * What the reads of every request cost: microseconds per call of the store on SQLite, beside the same statements prepared by
 * hand on a bare `node:sqlite` connection to the same file, in turns.
 *
 * The bare side only fetches the rows. What the store adds (a promise, its checks, records with our names) is the difference.
 */
import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '@clawdfather/kit';
import { type Store, parseAccountId } from '@clawdfather/store';

const callsPerRound = 2_000;
const rounds = 25;
const sessions = 20;
const tokenHash = 'a'.repeat(64);
const audit = { action: 'bench', actor: 'bench' };

export interface ReadCost {
  readonly name: string;
  readonly storeUs: number;
  readonly bareUs: number;
}

interface Contest {
  readonly name: string;
  readonly ours: () => Promise<unknown>;
  readonly bare: () => unknown;
}

/** Fills the store with what the reads look for. */
export async function measureReads(
  store: Store,
  path: string,
  clock: Clock,
): Promise<readonly ReadCost[]> {
  const accountId = await fill(store);
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const contests = contestsOf(store, db, accountId);
    const costs = new Map(contests.map(({ name }) => [name, { ours: [0], bare: [0] }]));
    for (let round = 0; round < rounds; round += 1) {
      for (const { name, ours, bare } of contests) {
        const sinceMs = clock.monotonicMs();
        for (let call = 0; call < callsPerRound; call += 1) await ours();
        const betweenMs = clock.monotonicMs();
        for (let call = 0; call < callsPerRound; call += 1) bare();
        const untilMs = clock.monotonicMs();
        costs.get(name)?.ours.push(((betweenMs - sinceMs) * 1_000) / callsPerRound);
        costs.get(name)?.bare.push(((untilMs - betweenMs) * 1_000) / callsPerRound);
      }
    }
    return [...costs].map(([name, { ours, bare }]) => ({
      name,
      storeUs: median(ours.slice(1)),
      bareUs: median(bare.slice(1)),
    }));
  } finally {
    db.close();
  }
}

async function fill(store: Store): Promise<string> {
  const { id } = await store.system.accounts.ensureOwner({ displayName: 'bench', audit });
  const account = store.forAccount(parseAccountId(id));
  await account.apiTokens.create({ tokenHash, label: 'bench', scopes: ['read', 'run'], audit });
  await account.devices.create({ tokenHash: `d${tokenHash}`, device: 'phone', audit });
  /* The first use is written down; the ones that are measured are not. */
  await store.system.tokens.find(tokenHash);
  await store.system.tokens.find(`d${tokenHash}`);
  await account.settings.update({ settings: { notifications: { turns: 'all' } }, audit });
  const owner = { instanceId: 'bench', generation: 1 };
  for (let index = 0; index < sessions; index += 1) {
    await account.sessions.create({ agent: 'bench', owner, openMax: 1_000, audit });
  }
  return id;
}

function contestsOf(store: Store, db: DatabaseSync, id: string): readonly Contest[] {
  const accountId = parseAccountId(id);
  const findToken = db.prepare(
    `SELECT t.* FROM api_tokens t JOIN accounts a ON a.id = t.account_id
      WHERE t.token_hash = ? AND t.expires_at_ms > ? AND t.revoked_at_ms IS NULL AND a.disabled_at_ms IS NULL`,
  );
  const findDevice = db.prepare(
    `SELECT t.* FROM app_sessions t JOIN accounts a ON a.id = t.account_id
      WHERE t.token_hash = ? AND t.expires_at_ms > ? AND t.revoked_at_ms IS NULL AND a.disabled_at_ms IS NULL`,
  );
  const settings = db.prepare('SELECT * FROM settings WHERE account_id = ?');
  const count = db.prepare('SELECT count(*) AS total FROM session_leases WHERE account_id = ?');
  const list = db.prepare(
    'SELECT * FROM session_leases WHERE account_id = ? ORDER BY created_at_ms DESC, id LIMIT ? OFFSET ?',
  );
  const log = db.prepare('SELECT * FROM audit_log WHERE account_id = ? ORDER BY seq DESC LIMIT ?');
  return [
    {
      name: 'tokens.find (a device)',
      ours: () => store.system.tokens.find(`d${tokenHash}`),
      bare: () => findDevice.get(`d${tokenHash}`, 1),
    },
    {
      name: 'tokens.find (a token)',
      ours: () => store.system.tokens.find(tokenHash),
      bare: () => findToken.get(tokenHash, 1),
    },
    {
      name: 'settings.get',
      ours: () => store.forAccount(accountId).settings.get(),
      bare: () => settings.get(id),
    },
    {
      name: `sessions.list (${sessions})`,
      ours: () => store.forAccount(accountId).sessions.list(),
      bare: () => [count.get(id), list.all(id, sessions, 0)],
    },
    {
      name: `auditLog.list (${sessions})`,
      ours: () => store.forAccount(accountId).auditLog.list(),
      bare: () => log.all(id, sessions + 1),
    },
  ];
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}
