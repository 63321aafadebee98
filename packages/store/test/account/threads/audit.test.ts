/*
 * Who asked for a change of a thread: the entry is written with the change, once, or neither is.
 */
import assert from 'node:assert/strict';
import { onBoth } from '../../backends.ts';
import { createAccount } from '../../world.ts';
import { bareTurn, changeOf, newThread } from './thread-rows.ts';

const by = { actor: 'device:1', ip: '127.0.0.1', traceId: 'a'.repeat(32) };

onBoth('a change has its entries, and one that conflicts has none', async ({ open }) => {
  const { threads, auditLog } = await createAccount(await open(), 'ann');
  const entries = async () =>
    (await auditLog.list()).entries.filter(({ action }) => /^(?:thread|turn|ask)\./.test(action));
  const before = await newThread(threads);
  const audit = { action: 'turn.prompt', ...by, target: 'turn', detail: { thread: 'x' } } as const;
  const audits = [{ action: 'thread.choose', ...by, target: 'x' } as const, audit];
  const change = changeOf(before, { rows: { queue: [bareTurn('turn')] } });
  assert.equal(await threads.commit(before, change, audits), 'committed');
  const other = changeOf(before, { rows: { queue: [bareTurn('other')] } });
  assert.equal(await threads.commit(before, other, [{ ...audit, target: 'other' }]), 'conflict');
  // As after a lost answer: it is known as committed, and has its entry already.
  assert.equal(await threads.commit(before, change, audits), 'committed');
  const [entry, choice, ...more] = await entries();
  assert.deepEqual(more, []);
  assert.equal(choice?.action, 'thread.choose');
  assert.deepEqual(
    [entry?.action, entry?.actor, entry?.target, entry?.ip, entry?.traceId, entry?.detail],
    ['turn.prompt', by.actor, 'turn', by.ip, by.traceId, { thread: 'x' }],
  );
});

onBoth('a new thread and one that is put away have their entries', async ({ open }) => {
  const { threads, auditLog } = await createAccount(await open(), 'ann');
  const given = { agent: 'fake', cwd: '/', title: '', instanceId: 'i' };
  const { thread } = await threads.create(given, { action: 'thread.create', ...by });
  const archived = { action: 'thread.archive', ...by } as const;
  assert.equal(await threads.archive(thread.id, archived), 'archived');
  assert.equal(await threads.archive(thread.id, archived), 'archived');
  assert.equal(await threads.archive('none', archived), 'not_found');
  const { entries } = await auditLog.list({ target: thread.id });
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['thread.archive', 'thread.create'],
  );
});
