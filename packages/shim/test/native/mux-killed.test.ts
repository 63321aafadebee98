/*
 * Clients that die or stop at the worst moment: the master lives on, and others are served.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freezeProcess } from '@clawdfather/testkit';
import { type Host, muxTest, path } from './mux-rig.ts';
import type { Rig } from './rig.ts';

/* Without a sanitizer, whose own calls are many. */
const plain = { variants: ['test'], programs: ['strace'] } as const;

/* The calls of one client in their order, each with how often it was made until then. */
function traceClient(host: Host, rig: Rig): readonly (readonly [string, number])[] {
  const log = join(rig.dir, 'trace');
  const env = { PATH: path, CLAWDFATHER_MUX_COMMAND: 'true', CLAWDFATHER_MUX_NONCE: 'nonce-1234' };
  const args = ['-o', log, rig.binaryPath, 'mux', host.socket];
  assert.equal(spawnSync('strace', args, { env, stdio: 'ignore' }).status, 0);
  const counts = new Map<string, number>();
  return readFileSync(log, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const name = /^([a-z_0-9]+)\(/.exec(line)?.[1];
      if (name === undefined || name === 'execve') return [];
      const times = (counts.get(name) ?? 0) + 1;
      counts.set(name, times);
      return [[name, times] as const];
    });
}

muxTest(
  'all that is asked of the master goes out in one call',
  async (host, rig) => {
    const calls = traceClient(host, rig).map(([name]) => name);
    assert.equal(calls.filter((name) => name === 'sendmmsg').length, 1);
    assert.ok(!calls.includes('sendmsg') && !calls.includes('sendto'), calls.join(' '));
  },
  plain,
);

muxTest(
  'killed at any of its calls, a client leaves a master that serves',
  async (host, rig) => {
    const calls = traceClient(host, rig);
    assert.ok(calls.length > 15, `only ${calls.length} calls`);
    for (const [name, times] of calls) {
      const wrap = [
        'strace',
        '-o',
        '/dev/null',
        '-e',
        `trace=${name}`,
        '-e',
        `inject=${name}:signal=KILL:when=${times}`,
      ];
      const client = host.run('true', { wrap, env: { CLAWDFATHER_MUX_NONCE: 'nonce-1234' } });
      await client.ended;
      await host.serves();
    }
  },
  plain,
);

muxTest('a client that was stopped holds up no other', async (host) => {
  const client = host.run('echo up; exec yes 1>&2', {
    env: { CLAWDFATHER_MUX_NONCE: 'nonce-1234' },
  });
  await client.says('up');
  await freezeProcess(client.pid);
  await host.serves();
  await host.serves();
  client.child.kill('SIGKILL');
  assert.equal(await client.ended, 'SIGKILL');
  await host.serves();
});

muxTest('output that is not read holds up no other session', async (host) => {
  for (const stream of ['', ' 1>&2']) {
    const client = host.run(`exec yes${stream}`, { isStalled: true });
    await client.reports('opened');
    for (let times = 0; times < 3; times += 1) await host.serves();
    client.child.kill('SIGKILL');
    client.resume();
    assert.equal(await client.ended, 'SIGKILL');
  }
});

muxTest(
  'a hundred at a time are all served',
  async (host) => {
    const clients = Array.from({ length: 100 }, (_, index) =>
      host.run(`echo ${index}; exit ${index}`, { env: { CLAWDFATHER_MUX_OPEN_MS: '60000' } }),
    );
    for (const [index, client] of clients.entries()) {
      assert.equal(await client.ended, index, client.report().join('\n'));
      assert.equal(client.stdout().toString(), `${index}\n`);
    }
  },
  { config: ['MaxSessions 200'], variants: ['test'] },
);

muxTest(
  'another user cannot use the socket, and theirs is not used',
  async (host, rig) => {
    const env = { PATH: path, CLAWDFATHER_MUX_COMMAND: 'true' };
    execFileSync('chmod', ['755', rig.dir]);
    const asNobody = ['--reuid', '65534', '--regid', '65534', '--clear-groups'];
    const args = [...asNobody, rig.binaryPath, 'mux', host.socket];
    const theirs = spawnSync('setpriv', args, { env, encoding: 'utf8' });
    assert.equal(theirs.status, 255);
    await host.serves();
  },
  { root: true, programs: ['setpriv'], variants: ['test'] },
);
