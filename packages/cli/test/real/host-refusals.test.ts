/*
 * What keeps a command from running on a host, told by a real gateway about a real sshd: a sentence, what to do, and nothing started.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sshdSkip } from '@clawdfather/testkit';
import { addWeb, openRealHost } from '../support/real-host.ts';

test('refusals of an SSH host', { timeout: 180_000, skip: sshdSkip }, async (context) => {
  const host = await openRealHost(context);
  const { rig, sshd, url, run } = host;
  await addWeb(host);

  await context.test('what means nothing on a host is refused before anything starts', async () => {
    for (const flags of [['--shield'], ['--tools'], ['--nice', '3'], ['--limit-cpu', '1s']]) {
      const { code, stderr } = await run('true', ...flags).result;
      assert.deepEqual([code, /: not with --host/.test(stderr)], [125, true], stderr);
    }
    const kept = await run('true', '--leftovers', 'end').result;
    assert.match(kept.stderr, /--leftovers: not with --host/);
    const direct = await rig.clf('run', '--host', 'db', '--', 'true');
    assert.deepEqual([direct.code, /host-not-found/.test(direct.stderr)], [125, true]);
  });

  await context.test('another key of the host is told, and nothing runs', async () => {
    await sshd.swapHostKey();
    const changed = await rig.clf('run', '--host', 'web', '--', 'true');
    assert.equal(changed.code, 125);
    assert.match(changed.stderr, /^clf: web: The host shows another key than the one that was/);
    assert.match(
      changed.stderr,
      /\n {2}Find out why.*clf host test web\n {2}\(ssh_connect_failed\)\n$/,
    );
    const again = await rig.clf('host', 'test', 'web', '--accept-host-key');
    assert.equal(again.code, 0, again.stdout + again.stderr);
    assert.equal((await run('exit 4').result).code, 4);
  });

  await context.test('what is in use says how to end that, in words of clf', async () => {
    const host = await rig.clf('host', 'rm', 'web');
    assert.deepEqual([host.code, /clf session close NAME/.test(host.stderr)], [125, true]);
    const key = await rig.clf('key', 'revoke', 'main');
    assert.deepEqual([key.code, /let --force do it/.test(key.stderr)], [125, true], key.stderr);
  });

  await context.test('a host that is gone is told once, without asking it again', async () => {
    assert.equal((await rig.clf('session', 'close', 'web')).code, 0);
    const before = (await rig.clf('audit', '--json')).stdout.split('session.start').length;
    await sshd.stop();
    const gone = await rig.clf('run', '--host', 'web', '-g', url, '--', 'true');
    assert.equal(gone.code, 125);
    assert.match(gone.stderr, /web: The host refused the connection/);
    const after = (await rig.clf('audit', '--json')).stdout.split('session.start').length;
    assert.equal(after - before, 1);
  });
});
