/*
 * The policy of a host, with a real sshd and a real shield: by itself agents are asked about there as everywhere; where a person says
 * `full`, nothing is asked about, and the socket of the connection is let into the shield of an agent in a session on it.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sshdSkip } from '@clawdfather/testkit';
import type { Answer } from '../fixtures/api-client.ts';
import { closeSessions, untilTrue, withHost, type World } from './host-world.ts';
import { noShield, shieldedRuns } from './shielded-runs.ts';

async function setPolicy(
  { ask, connectionId }: World,
  policy: string,
  token?: string,
): Promise<Answer> {
  const path = `connections/${connectionId}/policy`;
  return ask('POST', path, { body: { policy }, ...(token === undefined ? {} : { token }) });
}

async function policyOf({ ask, connectionId }: World): Promise<string> {
  return (await ask('GET', `connections/${connectionId}`)).body.connection.policy;
}

async function agentToken({ ask }: World): Promise<string> {
  const body = { label: 'agent', scopes: ['read', 'run', 'approve', 'admin'] };
  return (await ask('POST', 'auth/tokens', { body })).body.token;
}

test(
  'agents are asked about on a host, unless a person says otherwise; an agent cannot say it',
  {
    skip: sshdSkip,
  },
  (t) =>
    withHost(t, async (world) => {
      const { rig, ask, connectionId } = world;
      const token = await agentToken(world);
      const agentRuns = async (more: object = {}): Promise<Answer['body']> => {
        const body = { host: 'web', argv: ['uname'], yieldMs: 20_000, ...more };
        return (await ask('POST', 'runs', { body, token })).body;
      };
      assert.equal(await policyOf(world), 'ask');
      assert.equal((await agentRuns()).status, 'approval-pending');

      const refused = await setPolicy(world, 'full', token);
      assert.deepEqual([refused.status, refused.body.error.code], [403, 'forbidden']);
      const patched = await ask('PATCH', `connections/${connectionId}`, {
        body: { policy: 'full' },
        token,
      });
      assert.equal(patched.status, 400);
      assert.equal((await setPolicy(world, 'full', rig.other.token)).status, 404);
      assert.equal((await setPolicy(world, 'everything')).status, 400);
      assert.equal(await policyOf(world), 'ask');

      const allowed = await setPolicy(world, 'full');
      assert.deepEqual([allowed.status, allowed.body.connection.policy], [200, 'full']);
      const done = await agentRuns();
      assert.deepEqual([done.status, done.exitCode], ['completed', 0], JSON.stringify(done));
      const denied = await agentRuns({ security: 'deny' });
      assert.equal(denied.status, 'denied', 'a caller may still be stricter');
      const here = await agentRuns({ host: 'local', argv: ['sh', '-c', 'true'] });
      assert.equal(here.status, 'approval-pending', 'this machine is another matter');
      const { entries } = (await ask('GET', 'audit?action=connection.policy')).body;
      assert.deepEqual(
        entries.map(({ target, detail }: { target: string; detail: object }) => [target, detail]),
        [[connectionId, { policy: 'full' }]],
      );

      await closeSessions(ask);
      await setPolicy(world, 'ask');
      assert.equal((await agentRuns()).status, 'approval-pending');
    }),
);

test(
  'another user, another address or another key of the host brings the question back',
  {
    skip: sshdSkip,
  },
  (t) =>
    withHost(t, async (world) => {
      const { ask, sshd, connectionId } = world;
      const path = `connections/${connectionId}`;
      await setPolicy(world, 'full');
      await ask('PATCH', path, { body: { label: 'web2' } });
      assert.equal(await policyOf(world), 'full', 'its name is not the host');
      for (const body of [{ username: 'somebody' }, { port: 1 }, { host: 'elsewhere.example' }]) {
        await setPolicy(world, 'full');
        await ask('PATCH', path, { body });
        assert.equal(await policyOf(world), 'ask', JSON.stringify(body));
      }
      const { host, port, user: username } = sshd;
      await ask('PATCH', path, { body: { host, port, username } });
      await ask('POST', `${path}/test`, { body: { accept_host_key: true } });
      await setPolicy(world, 'full');
      await ask('POST', `${path}/test`, { body: { accept_host_key: true } });
      assert.equal(await policyOf(world), 'full', 'the same key');
      await sshd.swapHostKey();
      const trusted = await ask('POST', `${path}/test`, { body: { accept_host_key: true } });
      assert.equal(trusted.body.result, 'ok', trusted.text);
      assert.equal(await policyOf(world), 'ask');
    }),
);

test('where agents may start nothing at all, no host is an exception', { skip: sshdSkip }, (t) => {
  const work = async (world: World): Promise<void> => {
    await setPolicy(world, 'full');
    const body = { host: 'web', argv: ['uname'], yieldMs: 20_000 };
    const token = await agentToken(world);
    const answer = await world.ask('POST', 'runs', { body, token });
    assert.equal(answer.body.status, 'denied', answer.text);
  };
  return withHost(t, work, { runs: { agentPolicy: { security: 'deny', ask: 'off' } } });
});

test(
  'the socket of the connection is in a shield only where its policy is full, and goes with it',
  {
    skip: sshdSkip || noShield,
    timeout: 60_000,
  },
  (t) =>
    withHost(
      t,
      async (world) => {
        const { rig, ask, connectionId } = world;
        const startSession = async (): Promise<string> => {
          const made = await ask('POST', 'sessions', { body: { connection_id: connectionId } });
          return made.body.session.id;
        };
        const inShield = async (command: string, sessionId: string): Promise<Answer['body']> => {
          const body = { command, sessionId, shield: true, yieldMs: 20_000 };
          return (await ask('POST', 'runs', { body })).body;
        };
        const session = await startSession();
        const look = 'echo "${CLAWDFATHER_SSH_PREFIX-none}"; ls -A /run/clawdfather-ssh 2>&1';
        const closed = await inShield(look, session);
        assert.match(closed.output, /^none\n.*No such file/, JSON.stringify(closed));

        await setPolicy(world, 'full');
        // Said only where sshd has started it.
        const there = `$CLAWDFATHER_SSH_PREFIX 'echo "\${SSH_CONNECTION:+on the host}"'`;
        const done = await inShield(there, session);
        assert.equal(done.output, 'on the host\n', JSON.stringify(done));
        const seen = await inShield(`${look}; ls -A ${rig.config.stateDir}`, session);
        assert.match(seen.output, /^ssh -F \/run\/clawdfather-ssh\/passenger /, seen.output);
        assert.deepEqual(seen.output.split('\n').slice(1), ['passenger', 's', ''], 'and no more');
        const other = await inShield(look, await startSession());
        assert.match(other.output, /clawdfather-ssh/, 'each session has its own');
        const written = await inShield('touch /run/clawdfather-ssh/x 2>&1; echo $?', session);
        assert.match(written.output, /Read-only.*\n1\n$/);

        // One that has it loses it when the person changes their mind.
        const body = {
          command:
            'while read -r word; do $CLAWDFATHER_SSH_PREFIX echo "$word" </dev/null || echo "no $word"; done',
          sessionId: session,
          shield: true,
          background: true,
        };
        const { runId } = (await ask('POST', 'runs', { body })).body;
        const says = async (word: string, answer: RegExp): Promise<void> => {
          await ask('POST', `runs/${runId}/input`, { body: { data: `${word}\n` } });
          await untilTrue(async () =>
            answer.test((await ask('GET', `runs/${runId}/output`)).body.text),
          );
        };
        await says('first', /^first$/m);
        await setPolicy(world, 'ask');
        await says('second', /^no second$/m);
        const after = await inShield(look, session);
        assert.match(after.output, /^none\n/);
        await closeSessions(ask);
        const ssh = join(rig.config.stateDir, 'ssh');
        await untilTrue(() => readdirSync(ssh).length === 0);
      },
      { runs: shieldedRuns(t) },
    ),
);
