/*
 * SSH hosts at a gateway, with a real sshd: a connection is tested, a session opens on it, commands run through it, and what is lost is
 * told with its cause.
 */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { sshdSkip } from '@clawdfather/testkit';
import { processesWith, sleepsFor, sleepWord, startOn, untilTrue, withHost } from './host-world.ts';

test(
  'a connection is tested by consent, and a command runs on it with its code and output',
  {
    skip: sshdSkip,
  },
  (t) =>
    withHost(t, async ({ rig, ask, run, connectionId }) => {
      const done = await run({ command: 'echo out; echo err >&2; exit 7' });
      assert.deepEqual([done.status, done.exitCode], ['completed', 7], JSON.stringify(done));
      assert.match(done.output, /out/);
      assert.match(done.output, /err/);
      assert.doesNotMatch(done.output, /CLF1/);
      const record = (await ask('GET', `runs/${done.runId}`)).body;
      assert.equal(record.command, 'echo out; echo err >&2; exit 7');
      const sessions = (await ask('GET', 'sessions?status=active')).body.items;
      assert.equal(sessions.length, 1, 'one session for all that name none');
      assert.equal((await run({ argv: ['pwd'] })).exitCode, 0);
      assert.equal((await ask('GET', 'sessions?status=active')).body.items.length, 1);
      await ask('DELETE', `sessions/${sessions[0].id}`);
      await untilTrue(async () => (await readdir(join(rig.config.stateDir, 'ssh'))).length === 0);
      const leases = await readdir(join(rig.config.stateDir, 'host-commands', connectionId));
      assert.deepEqual(leases, []);
    }),
);

test('additions to the environment arrive, and are in no command line', { skip: sshdSkip }, (t) =>
  withHost(t, async ({ ask }) => {
    const secret = `s3cret-${Date.now()}`;
    const word = sleepWord();
    const command = `printf %s "$TOKEN"; exec sleep ${word}`;
    const runId = await startOn(ask, { command, env: { TOKEN: secret } });
    await untilTrue(() => sleepsFor(word) === 1);
    assert.deepEqual(processesWith(secret), []);
    await untilTrue(async () => {
      const { body } = await ask('GET', `runs/${runId}/output`);
      return body.text === secret;
    });
  }),
);

test('input arrives, directories count, a missing one is said', { skip: sshdSkip }, (t) =>
  withHost(t, async ({ run }) => {
    const read = await run({ argv: ['cat'], stdin: 'typed', eof: true });
    assert.equal(read.output, 'typed', JSON.stringify(read));
    assert.equal((await run({ argv: ['pwd'], workdir: '/usr' })).output, '/usr\n');
    const missing = await run({ argv: ['pwd'], workdir: '/no/such/place' });
    assert.equal(missing.exitCode, 252);
  }),
);

test(
  'a cancelled command is ended on the host, with all that it started',
  { skip: sshdSkip },
  (t) =>
    withHost(t, async ({ ask, run }) => {
      const mark = `600.${process.pid}${Date.now()}`;
      const begun = await run({
        command: `sleep ${mark} & exec sleep ${mark}`,
        background: true,
        yieldMs: undefined,
      });
      // The host is this machine.
      const running = (): number => sleepsFor(mark);
      await untilTrue(async () => running() === 2);
      await ask('POST', `runs/${begun.runId}/cancel`, { body: {} });
      await untilTrue(async () => (await ask('GET', `runs/${begun.runId}`)).body.exit !== null);
      assert.equal(running(), 0);
    }),
);

test(
  'a host that goes away fails the session with its cause, and the command says so',
  {
    skip: sshdSkip,
  },
  (t) =>
    withHost(t, async ({ ask, run, sshd }) => {
      const begun = await run({
        command: 'echo here; exec sleep 600',
        background: true,
        yieldMs: undefined,
      });
      const { items } = (await ask('GET', 'sessions?status=active')).body;
      await sshd.stop();
      const session = async () => (await ask('GET', `sessions/${items[0].id}`)).body.session;
      await untilTrue(async () => (await session()).status === 'error');
      assert.equal((await session()).error.code, 'host-closed');
      await untilTrue(async () => (await ask('GET', `runs/${begun.runId}`)).body.exit !== null);
      const again = await run({ argv: ['true'] });
      assert.equal(again.httpStatus, 502, JSON.stringify(again));
      assert.equal(again.error.code, 'ssh_connect_failed');
      assert.match(again.error.message, /refused the connection/);
    }),
);

test(
  'another key of the host is a decision, and nothing starts before it',
  { skip: sshdSkip },
  (t) =>
    withHost(t, async ({ ask, run, sshd, connectionId }) => {
      assert.equal((await run({ argv: ['true'] })).exitCode, 0);
      const before = (await ask('GET', 'sessions?status=active')).body.items[0].id;
      await sshd.swapHostKey();
      const changed = await ask('POST', `connections/${connectionId}/test`, { body: {} });
      assert.equal(changed.body.error.code, 'host_key_changed');
      const { old_fingerprint: was, new_fingerprint: is } = changed.body.error.detail;
      assert.match(was, /^SHA256:/);
      assert.notEqual(was, is);
      const accepted = await ask('POST', `connections/${connectionId}/test`, {
        body: { accept_host_key: true, host_key_fingerprint: is },
      });
      assert.equal(accepted.body.result, 'ok', JSON.stringify(accepted.body));
      const ended = (await ask('GET', `sessions/${before}`)).body.session;
      assert.equal(ended.status, 'error');
      assert.equal(ended.error.code, 'pin-changed');
      assert.equal((await run({ argv: ['true'] })).exitCode, 0);
    }),
);

test(
  "a person's own shell works on the host with the session's prefix, as it is printed",
  {
    skip: sshdSkip,
  },
  (t) =>
    withHost(t, async ({ ask, connectionId }) => {
      const made = await ask('POST', 'sessions', { body: { connection_id: connectionId } });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const { id, ssh_prefix: prefix } = made.body.session;
      assert.match(
        prefix,
        /^ssh -F .* -o ControlMaster=no -o ProxyCommand=false -p [0-9]+ .*@127\.0\.0\.1 --$/,
      );
      const body = {
        sessionId: id,
        yieldMs: 20_000,
        command: '$CLAWDFATHER_SSH_PREFIX echo on "the host"',
      };
      const done = (await ask('POST', 'runs', { body })).body;
      assert.equal(done.output, 'on the host\n', JSON.stringify(done));
      const told = { sessionId: id, yieldMs: 20_000, command: 'printf %s "$CLAWDFATHER_CONTEXT"' };
      const context = JSON.parse((await ask('POST', 'runs', { body: told })).body.output);
      assert.deepEqual([context.connection_id, context.session_lease_id], [connectionId, id]);
      await ask('DELETE', `sessions/${id}`);
      const after = (
        await ask('POST', 'runs', { body: { yieldMs: 20_000, command: `${prefix} echo no` } })
      ).body;
      assert.notEqual(after.exitCode, 0, 'without its master it connects to nothing');
    }),
);

test('a start that fails leaves no session, no process and no file', { skip: sshdSkip }, (t) =>
  withHost(t, async ({ rig, ask, sshd, connectionId }) => {
    sshd.authorizeNone();
    const refused = await ask('POST', 'sessions', { body: { connection_id: connectionId } });
    assert.equal(refused.status, 502, JSON.stringify(refused.body));
    assert.equal(refused.body.error.detail.cause, 'key-not-installed');
    const [session] = (await ask('GET', 'sessions')).body.items;
    assert.deepEqual([session.status, session.error.code], ['error', 'ssh_connect_failed']);
    await untilTrue(async () => (await readdir(join(rig.config.stateDir, 'ssh'))).length === 0);
  }),
);
