/*
 * Tools that open behind the client's back: once, again after a failure, and closed if they were opened.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tools } from '@clawdfather/tools';
import { openOnce } from '../../src/mcp/opened-once.ts';
import type { AgentTools } from '../../src/mcp/open-agent-tools.ts';

type Call = Parameters<Tools['process']>[1];

const call: Call = {
  signal: new AbortController().signal,
  requester: 'mcp:test',
  account: 'local',
  sessionId: 'local',
};

function agentTools(closed: { count: number }): AgentTools {
  const list = async () => ({ runs: [], isMore: false });
  return {
    tools: { actions: { list } } as unknown as Tools,
    takenOver: ['run-1'],
    [Symbol.asyncDispose]: async () => void (closed.count += 1),
  };
}

test('many calls share one opening, which begins before the first of them', async () => {
  const closed = { count: 0 };
  let openings = 0;
  const opened = openOnce(
    async () => {
      openings += 1;
      return agentTools(closed);
    },
    () => assert.fail('it opened'),
  );
  assert.equal(openings, 1);
  await Promise.all([1, 2, 3].map(() => opened.tools.process({ action: 'list' }, call)));
  assert.equal(openings, 1);
  assert.deepEqual(await opened.takenOver, ['run-1']);
  await opened[Symbol.asyncDispose]();
  assert.equal(closed.count, 1);
});

test('a failure is told to the call that needed it, and the next call tries again', async () => {
  const closed = { count: 0 };
  const failures: unknown[] = [];
  let isReady = false;
  const opened = openOnce(
    async () => {
      if (!isReady) throw new Error('the disk is full');
      return agentTools(closed);
    },
    (error) => failures.push(error),
  );
  await assert.rejects(opened.tools.process({ action: 'list' }, call), /the disk is full/);
  assert.equal(failures.length, 1);
  isReady = true;
  assert.deepEqual(await opened.tools.process({ action: 'list' }, call), {
    action: 'list',
    runs: [],
    isMore: false,
  });
  assert.deepEqual(await opened.takenOver, ['run-1'], 'as soon as there is something to know');
  await opened[Symbol.asyncDispose]();
  assert.equal(closed.count, 1);
});

test('closing what never opened is nothing to fail at', async () => {
  const opened = openOnce(
    async () => {
      throw new Error('no');
    },
    () => {},
  );
  await opened[Symbol.asyncDispose]();
});
