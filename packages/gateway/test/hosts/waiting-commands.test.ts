/*
 * Commands that wait for their turn on a host, because it gives few sessions: they can be ended before they have started.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sshdSkip } from '@clawdfather/testkit';
import type { Ask } from '../fixtures/api-client.ts';
import { sleepsFor, sleepWord, startOn, untilTrue, withHost } from './host-world.ts';

/* As many as have places on a connection by default. */
const placesMax = 8;

/* All places are taken, so that the next ones wait. */
async function crowd(ask: Ask, word: string): Promise<readonly string[]> {
  const begun = Array.from({ length: placesMax }, () => startOn(ask, { argv: ['sleep', word] }));
  const ids = await Promise.all(begun);
  await untilTrue(() => sleepsFor(word) === placesMax);
  return ids;
}

/* Answers before it has started: it waits for that only as long as the request says. */
async function askFor(
  ask: Ask,
  argv: readonly string[],
): Promise<{ runId: string; notes: string[] }> {
  const answer = await ask('POST', 'runs', { body: { host: 'web', argv, yieldMs: 100 } });
  assert.deepEqual([answer.status, answer.body.status], [201, 'running'], answer.text);
  return answer.body;
}

test(
  'a command that waits for its turn on a host can be ended, and never starts',
  {
    skip: sshdSkip,
    timeout: 60_000,
  },
  (t) =>
    withHost(t, async ({ ask }) => {
      const word = sleepWord();
      const other = sleepWord();
      const [first] = await crowd(ask, word);
      const { runId, notes } = await askFor(ask, ['sleep', other]);
      assert.match(notes.join(), /waits for its turn on the host/);
      const next = await askFor(ask, ['sleep', word]);

      const ended = await ask('POST', `runs/${runId}/cancel`, { body: {} });
      assert.equal(ended.status, 200, ended.text);
      const token = (
        await ask('POST', 'auth/tokens', { body: { label: 'a', scopes: ['read', 'run'] } })
      ).body.token;
      const refused = await ask('POST', `runs/${next.runId}/cancel`, { body: {}, token });
      assert.equal(refused.status, 403, 'a person asked for it');

      await ask('POST', `runs/${first}/cancel`, { body: {} });
      await untilTrue(
        async () => (await ask('GET', `runs/${next.runId}`)).body.state === 'running',
      );
      assert.equal(sleepsFor(other), 0, 'the next one in the queue has started, not this one');
    }),
);
