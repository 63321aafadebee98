/*
 * A host that gives few sessions on a connection (sshd's MaxSessions): commands wait for one and all of them run, on one connection; and
 * a command can be ended when the host has no session left for that.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sshdSkip } from '@clawdfather/testkit';
import { closeSessions, sleepsFor, sleepWord, startOn, untilTrue, withHost } from './host-world.ts';

const skip = sshdSkip;

test('MaxSessions 3 with twenty commands at once: all succeed, on one connection', { skip }, (t) =>
  withHost(
    t,
    async ({ run, sshd }) => {
      assert.equal((await run({ argv: ['true'] })).exitCode, 0);
      const logins = (): number => sshd.log().split('Accepted publickey').length - 1;
      const before = logins();
      const all = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          run({ command: `sleep 0.1; echo number ${at}; exit ${at}` }),
        ),
      );
      for (const [at, done] of all.entries()) {
        assert.equal(done.exitCode, at, JSON.stringify(done));
        assert.equal(done.output, `number ${at}\n`);
      }
      assert.equal(logins(), before, 'no second connection');
    },
    { sshd: ['MaxSessions 3'] },
  ),
);

test('a command is ended although the host has no session left', { skip }, (t) =>
  withHost(
    t,
    async ({ ask }) => {
      const word = sleepWord();
      // The ping and these are three.
      const ids = [
        await startOn(ask, { command: `exec sleep ${word}` }),
        await startOn(ask, { command: `exec sleep ${word}` }),
      ];
      await untilTrue(() => sleepsFor(word) === 2);
      for (const [at, runId] of ids.entries()) {
        await ask('POST', `runs/${runId}/cancel`, { body: {} });
        await untilTrue(() => sleepsFor(word) === 1 - at);
      }
    },
    { sshd: ['MaxSessions 3'] },
  ),
);

for (const sessions of [0, 1]) {
  test(
    `MaxSessions ${sessions}: the test of the connection says what to set, and so does a command`,
    {
      skip,
    },
    (t) =>
      withHost(
        t,
        async ({ ask, run, sshd, connectionId }) => {
          const few = await ask('POST', `connections/${connectionId}/test`, { body: {} });
          assert.equal(few.body.result, 'ok', JSON.stringify(few.body));
          await sshd.configure([`MaxSessions ${sessions}`]);
          const done = await run({ argv: ['true'] });
          assert.deepEqual([done.status, done.kind], ['failed', 'host-unreachable']);
          assert.match(done.message, /not started.*MaxSessions to 3 or more.*\(max-sessions\)/);
          const tested = (await ask('POST', `connections/${connectionId}/test`, { body: {} })).body;
          assert.deepEqual([tested.result, tested.cause], ['failed', 'max-sessions']);
          assert.match(tested.message, /MaxSessions to 3 or more/);
          await closeSessions(ask);
          const started = await ask('POST', 'sessions', { body: { connection_id: connectionId } });
          assert.equal(started.status, 409, JSON.stringify(started.body));
        },
        { sshd: ['MaxSessions 2'] },
      ),
  );
}

test(
  'a login shell that runs no commands is named as such by the test of the connection',
  {
    skip,
  },
  (t) =>
    withHost(t, async ({ ask, sshd, connectionId }) => {
      await sshd.configure(["ForceCommand sh -c 'echo This account is not available.; exit 1'"]);
      const tested = (await ask('POST', `connections/${connectionId}/test`, { body: {} })).body;
      assert.deepEqual([tested.result, tested.cause], ['failed', 'restricted-shell']);
      assert.match(tested.message, /runs no commands.*ordinary shell/);
      await sshd.configure([]);
      const mended = (await ask('POST', `connections/${connectionId}/test`, { body: {} })).body;
      assert.equal(mended.result, 'ok', JSON.stringify(mended));
    }),
);
