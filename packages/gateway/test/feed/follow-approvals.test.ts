/*
 * Commands that wait, from the registry into the account's events and notices: each is told once when it comes and once when it is over,
 * wherever the gateway dies between the two databases, and whether or not the write that it died in had been stored.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { type AccountId, openStore, parseAccountId, type Store } from '@clawdfather/store';
import type { ApprovalStore, StoredApproval } from '@clawdfather/supervisor';
import { localAccount } from '@clawdfather/supervisor/origins';
import { followApprovals } from '../../src/feed/follow-approvals.ts';

const clock = createSystemClock();
const random = createSystemRandom();

/* The registry of the machine, as far as it is followed. */
function createRegistry() {
  const rows = new Map<string, StoredApproval>();
  const approvals = {
    host: { bootId: 'boot', bootMs: () => 0 },
    watch: () => () => {},
    approvals: () => [...rows.values()].filter(({ state }) => state === 'pending'),
    approval: (id: string) => rows.get(id),
  } as unknown as ApprovalStore;
  const ask = (approvalId: string): void => {
    const row = { approvalId, runId: approvalId, host: 'local', account: localAccount };
    rows.set(approvalId, { ...row, state: 'pending', expiresAtMs: 1 } as StoredApproval);
  };
  const decide = (approvalId: string): void => {
    const row = rows.get(approvalId);
    assert.ok(row !== undefined);
    rows.set(approvalId, {
      ...row,
      state: 'denied',
      decision: 'deny',
      decidedBy: 'device:a',
    } as unknown as StoredApproval);
  };
  return { approvals, ask, decide };
}

interface Death {
  readonly dieAt: number;
  readonly isStored: boolean;
}

/* Dies at its nth write, before or after it is stored; from then on it writes nothing. */
function dyingStore(store: Store, { dieAt, isStored }: Death): Store {
  let writes = 0;
  return {
    ...store,
    forAccount: (id: AccountId) => {
      const account = store.forAccount(id);
      const tell: typeof account.notices.tell = async (news) => {
        writes += 1;
        if (writes < dieAt || (writes === dieAt && isStored)) await account.notices.tell(news);
        if (writes >= dieAt) throw new Error('killed');
      };
      return { ...account, notices: { ...account.notices, tell } };
    },
  };
}

for (const isStored of [false, true]) {
  test(`told once, wherever the gateway dies ${isStored ? 'after' : 'before'} a write is stored`, async () => {
    // Two come, and two are decided.
    for (let dieAt = 1; dieAt <= 5; dieAt += 1) {
      const directory = await mkdtemp(join(tmpdir(), 'clf-follow-'));
      try {
        await sweep(join(directory, 'control.db'), { dieAt, isStored });
      } finally {
        await rm(directory, { recursive: true });
      }
    }
  });
}

async function sweep(path: string, death: Death): Promise<void> {
  await using store = await openStore({ kind: 'sqlite', path }, { clock, random });
  const audit = { action: 'test', actor: 'test' };
  const owner = await store.system.accounts.ensureOwner({ displayName: 'Owner', audit });
  const ownerId = parseAccountId(owner.id);
  const { approvals, ask, decide } = createRegistry();
  const deps = { approvals, instanceId: 'here', ownerId, clock, log: silentLog };
  /* One whole look, as a gateway has that starts; closing waits for it. */
  const look = async (through: Store): Promise<void> => {
    await using _follower = followApprovals({ ...deps, store: through });
  };
  const dying = dyingStore(store, death);
  const both = async (): Promise<void> => {
    await look(dying);
    await look(store);
  };
  ask('a');
  ask('b');
  await both();
  decide('a');
  await both();
  decide('b');
  await both();
  const account = store.forAccount(ownerId);
  const events = await account.events.list({ after: 0, limit: 500 });
  for (const id of ['a', 'b']) {
    const told = events.filter(({ subjectId }) => subjectId === id).map(({ type }) => type);
    assert.deepEqual(told, ['approval_opened', 'approval_closed'], JSON.stringify(death));
  }
  const { items } = await account.notices.list({ limit: 100 });
  const states = items.map(({ subjectId, resolution }) => `${subjectId} ${resolution}`);
  assert.deepEqual(states.toSorted(), ['a answered', 'b answered'], JSON.stringify(death));
}
