/*
 * What of a session is written, and what becomes of it when the database does not answer.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '@clawdfather/kit';
import type { McpSessionChange } from '@clawdfather/store';
import { createFakeClock } from '@clawdfather/testkit';
import type { Caller } from '../../src/http/caller.ts';
import { clientTextCharactersMax, useWrittenEveryMs } from '../../src/mcp/limits.ts';
import { createSessionRecord, type SessionRecordDeps } from '../../src/mcp/session-record.ts';

interface Written {
  readonly clientName: string;
}

function createRig() {
  const clock = createFakeClock();
  const written: (McpSessionChange | 'ended')[] = [];
  const created: Written[] = [];
  let gate = Promise.resolve();
  let isBroken = false;
  const work = async (what: () => void): Promise<void> => {
    await gate;
    if (isBroken) throw new Error('the disk is full');
    what();
  };
  const mcpSessions = {
    create: (session: Written) => work(() => created.push(session)),
    use: (_name: object, change: McpSessionChange) => work(() => written.push(change)),
    end: () => work(() => written.push('ended')),
  };
  const store = { forAccount: () => ({ mcpSessions }) };
  return {
    clock,
    written,
    created,
    record: createSessionRecord(
      { store: store as unknown as SessionRecordDeps['store'], clock, log: silentLog },
      { id: 'session', caller: { id: 'token', accountId: 'account' } as unknown as Caller },
    ),
    breakDisk: () => (isBroken = true),
    /* Until the result is called, nothing is written. */
    hold: (): (() => void) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
  };
}

const underWay = (): Promise<void> => new Promise(setImmediate);

const facts = { protocolVersion: '2025-11-25', clientName: 'agent', clientVersion: '1' };

test('what changes while a write is under way is written together', async () => {
  const { record, written, hold } = createRig();
  const letGo = hold();
  record.change({ follows: ['x'] });
  record.change({ follows: ['a'] });
  await underWay();
  record.change({ follows: ['a', 'b'] });
  record.change({ logLevel: 'error' });
  record.change({ follows: ['b'] });
  letGo();
  await record.settled();
  assert.deepEqual(written, [{ follows: ['a'] }, { follows: ['b'], logLevel: 'error' }]);
});

test('use is written now and then, and not after the handshake', async () => {
  const { record, written, clock } = createRig();
  await record.create(facts);
  record.used();
  await clock.advance(useWrittenEveryMs);
  record.used();
  record.used();
  await record.settled();
  assert.deepEqual(written, [{}]);
});

test('nothing is written of a session that has ended', async () => {
  const { record, written, hold } = createRig();
  const letGo = hold();
  record.change({ follows: ['a'] });
  await underWay();
  record.change({ follows: [] });
  const ended = record.end();
  record.change({ follows: ['c'] });
  letGo();
  await ended;
  assert.deepEqual(written, [{ follows: ['a'] }, 'ended']);
});

test('a database that cannot be written stops no agent, but an end that is not for good is told', async () => {
  const { record, breakDisk } = createRig();
  breakDisk();
  await record.create(facts);
  record.change({ follows: ['a'] });
  await record.settled();
  await assert.rejects(record.end(), /the disk is full/);
});

test('what a client calls itself is kept in bounds', async () => {
  const { record, created } = createRig();
  await record.create({ ...facts, clientName: `\0\ud800${'x'.repeat(1_000)}` });
  const clientName = created[0]?.clientName ?? '';
  assert.ok(clientName.length <= clientTextCharactersMax && clientName.isWellFormed());
  assert.ok(!clientName.includes('\0'));
});
