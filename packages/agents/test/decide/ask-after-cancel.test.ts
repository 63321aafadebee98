/*
 * A cancel and a permission that cross: the agent has asked before it heard of the cancel, and the line is read after it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cancelTurn } from '@clawdfather/agents';
import { AskedAgent, permission, turnEnd } from '../support/asked-agent.ts';

const cancel = { turnId: 'turn', cause: 'asked', actor: 'device:2' } as const;

test('X5: what the agent asks in a turn that is cancelled is answered as cancelled, also when it comes later', () => {
  const agent = new AskedAgent();
  agent.say(permission(0));
  agent.model.commit(cancelTurn(agent.rows, cancel, 40));
  agent.consume();
  assert.match(agent.committed(), /"id":0,"result":\{"outcome":\{"outcome":"cancelled"\}\}/);
  assert.deepEqual(agent.states(), ['open', 'answered']);
  assert.equal(agent.rows.asks.size, 0);
  agent.say(turnEnd);
  agent.consume();
  assert.equal(agent.rows.turn, undefined);
});

test('X5: an ask that was noted ahead and is open when its turn is cancelled is answered once', async () => {
  const agent = new AskedAgent();
  agent.say(permission(0));
  assert.equal((await agent.asks.list()).length, 1);
  agent.model.commit(cancelTurn(agent.rows, cancel, 40));
  agent.consume();
  assert.equal(agent.committed().match(/"outcome":"cancelled"/g)?.length, 1);
  assert.deepEqual(agent.states(), ['open', 'answered']);
});

test('X5: an ask that was noted ahead after the cancel is answered when its line is read', async () => {
  const agent = new AskedAgent();
  agent.say(permission(0));
  agent.model.commit(cancelTurn(agent.rows, cancel, 40));
  await agent.asks.list();
  agent.consume();
  assert.equal(agent.committed().match(/"outcome":"cancelled"/g)?.length, 1);
  assert.deepEqual(agent.states(), ['open', 'answered']);
});
