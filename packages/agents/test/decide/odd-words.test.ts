/*
 * Agents that say what nobody expects: names that every object has, and JSON that is deeper than it can be written back. All of it has to
 * be storable, because what cannot be stored is read again for ever.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AskedAgent, chunk, line, turnEnd } from '../support/asked-agent.ts';

const inherited = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'];

test('W3: an update or a method with the name of something that every object has is an unknown one', () => {
  for (const name of inherited) {
    const agent = new AskedAgent();
    const content = { type: 'text', text: 'x' };
    const update = { sessionUpdate: name, content };
    agent.say(line({ method: 'session/update', params: { sessionId: 's', update } }));
    agent.say(line({ id: 7, method: name, params: {} }));
    agent.consume();
    assert.equal(agent.rows.asks.size, 0, name);
    assert.equal(agent.rows.run?.openMessage, undefined, name);
    const [shown, refused] = agent.model.events.slice(-2);
    assert.deepEqual([shown?.type, shown?.payload['update']], ['noise', name]);
    assert.deepEqual([refused?.type, refused?.payload['method']], ['noise', name]);
    assert.match(agent.committed(), /"id":7,"error":\{"code":-32601/);
  }
});

test('W3: a message that is too deep to be stored is noise, and what comes after it counts', () => {
  const levels = 100_000;
  const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const agent = new AskedAgent();
  agent.say(`{"jsonrpc":"2.0","method":"odd","params":{"deep":${deep}}}\n`);
  agent.say(
    `{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"x":${deep}}}\n`,
  );
  agent.say(`${deep}\n`);
  agent.say(chunk('after'), turnEnd);
  agent.consume();
  assert.doesNotThrow(() => JSON.stringify(agent.model.events));
  assert.equal(agent.rows.asks.size, 0);
  assert.equal(agent.rows.turn, undefined);
  assert.equal(agent.model.events.filter(({ type }) => type === 'noise').length, 3);
});

test('W3: what is as deep as messages of agents are is one', () => {
  const agent = new AskedAgent();
  const deep = `${'['.repeat(100)}${']'.repeat(100)}`;
  agent.say(`{"jsonrpc":"2.0","method":"odd","params":{"deep":${deep}}}\n`);
  agent.consume();
  const last = agent.model.events.at(-1);
  assert.equal(JSON.stringify(last?.payload['raw']), `{"deep":${deep}}`);
});
