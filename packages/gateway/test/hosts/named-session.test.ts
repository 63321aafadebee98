/*
 * A command that names a session and a host, with a real sshd: it goes through that session, or nowhere.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sshdSkip } from '@clawdfather/testkit';
import type { Ask } from '../fixtures/api-client.ts';
import { addHost, untilTrue, withHost, type World } from './host-world.ts';

async function startSession(ask: Ask, connectionId: string | null): Promise<string> {
  const made = await ask('POST', 'sessions', { body: { connection_id: connectionId } });
  assert.equal(made.status, 201, made.text);
  return made.body.session.id;
}

test(
  'a command goes through the session that it names, belongs to it, and ends with it',
  {
    skip: sshdSkip,
  },
  (t) =>
    withHost(t, async ({ ask, run, connectionId }: World) => {
      const first = await startSession(ask, connectionId);
      const second = await startSession(ask, connectionId);
      for (const sessionId of [second, first]) {
        const command = 'echo $CLAWDFATHER_SESSION_LEASE';
        const done = await run({ command, sessionId });
        assert.equal(done.output, `${sessionId}\n`, JSON.stringify(done));
        const record = (await ask('GET', `runs/${done.runId}`)).body;
        assert.equal(record.sessionId, sessionId);
      }
      const byId = await run({ host: connectionId, argv: ['true'], sessionId: second });
      assert.equal(byId.exitCode, 0, JSON.stringify(byId));
      const lasting = await run({
        argv: ['sleep', '600'],
        sessionId: second,
        background: true,
        yieldMs: undefined,
      });
      await ask('DELETE', `sessions/${second}`);
      await untilTrue(async () => (await ask('GET', `runs/${lasting.runId}`)).body.exit !== null);
      const closed = await run({ argv: ['true'], sessionId: second });
      assert.deepEqual([closed.httpStatus, closed.error.code], [410, 'expired']);
    }),
);

test('a session elsewhere is refused, and nothing is started', { skip: sshdSkip }, (t) =>
  withHost(t, async ({ rig, ask, run, sshd, connectionId }: World) => {
    await addHost(ask, sshd, 'db');
    const onWeb = await startSession(ask, connectionId);
    const here = await startSession(ask, null);
    for (const [host, sessionId] of [
      ['db', onWeb],
      ['web', here],
    ]) {
      const refused = await run({ host, sessionId, argv: ['true'] });
      assert.deepEqual([refused.httpStatus, refused.error.code], [400, 'validation_error']);
      assert.match(refused.error.message, new RegExp(`${sessionId} is not one on ${host}`));
      assert.equal(refused.error.detail.reason, 'session-elsewhere');
    }
    const foreign = await ask('POST', 'sessions', { body: {}, token: rig.other.token });
    assert.notEqual(foreign.status, 201);
    const unknown = await run({ sessionId: '0000000000000000', argv: ['true'] });
    assert.deepEqual([unknown.httpStatus, unknown.error.code], [404, 'not_found']);
    assert.equal((await ask('GET', 'runs')).body.total, 0);
  }),
);
