/*
 * The mux client: codes, streams, the header, and what it says when there is no code.
 */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createEnding, freezeProcess } from '@clawdfather/testkit';
import { muxTest } from './mux-rig.ts';
import { until } from './rig.ts';

const nonce = 'n0nce-of-this-run';
const bootId = '01234567-89ab-cdef-0123-456789abcdef';
const printHeader = `printf '\\036CLF1 ${nonce} %s 4711 ${bootId}\\n' $$ >&2`;

muxTest('the status is the code of the command, whichever it is', async (host) => {
  for (const code of [0, 1, 2, 7, 126, 127, 128, 143, 254, 255]) {
    const client = host.run(`exit ${code}`);
    assert.equal(await client.ended, code);
    assert.deepEqual(client.report().slice(0, 1), ['opening']);
    assert.match(client.report()[1] ?? '', /^opened \d+$/);
    assert.deepEqual(client.report().slice(2), [`exit ${code}`]);
  }
});

muxTest('a command that a signal ended has no code, and its master is well', async (host) => {
  const client = host.run('kill -9 $$');
  assert.equal(await client.ended, 255);
  assert.equal(client.report().at(-1), 'ended-without-code master-alive');
});

muxTest('the code is known before the end, while others hold the output', async (host, rig) => {
  const ending = createEnding(rig.dir, 0);
  const client = host.run(`( (${ending.command}); echo late) & exit 3`);
  assert.equal(await client.reports('exit'), 'exit 3');
  assert.equal(client.child.exitCode, null);
  ending.letGo();
  await client.says('late');
  assert.equal(await client.ended, 3);
});

muxTest('ten megabytes go in and come out as they were', async (host) => {
  const bytes = randomBytes(10 * 2 ** 20);
  for (const env of [{}, { CLAWDFATHER_MUX_STDIN: 'first\n' }]) {
    const client = host.run('cat; echo done >&2', { stdin: 'pipe', env });
    client.child.stdin?.end(bytes);
    assert.equal(await client.ended, 0);
    const first = Buffer.from('CLAWDFATHER_MUX_STDIN' in env ? 'first\n' : '');
    assert.deepEqual(hash(client.stdout()), hash(Buffer.concat([first, bytes])));
    assert.equal(client.stderr().toString(), 'done\n');
  }
});

muxTest('the end of the input is passed on, and a closed input is no failure', async (host) => {
  const env = { CLAWDFATHER_MUX_STDIN: 'payload\n' };
  const whole = host.run('cat', { env });
  assert.equal(await whole.ended, 0);
  assert.equal(whole.stdout().toString(), 'payload\n');
  const deaf = host.run('exec <&-; echo deaf; exit 4', { stdin: 'pipe', env });
  deaf.child.stdin?.on('error', () => {}); /* Nothing reads it: that is what is tried. */
  deaf.child.stdin?.write(randomBytes(2 ** 20));
  assert.equal(await deaf.ended, 4);
  assert.equal(deaf.stdout().toString(), 'deaf\n');
});

muxTest('the header is taken out of standard error, and only the header', async (host) => {
  const noise = `printf 'noise\\n\\036CLF1 n0nce-of-another 1 2 3\\n\\036CLF1 ${nonce} 1 2\\nprompt> \\036\\036CLF' >&2`;
  const client = host.run(
    `${noise}; ${printHeader}; ${printHeader}; head -c 300000 /dev/zero >&2; echo $$`,
    { env: { CLAWDFATHER_MUX_NONCE: nonce } },
  );
  assert.equal(await client.ended, 0);
  const pid = client.stdout().toString().trim();
  const before = `noise\n\x1eCLF1 n0nce-of-another 1 2 3\n\x1eCLF1 ${nonce} 1 2\nprompt> \x1e\x1eCLF`;
  const second = `\x1eCLF1 ${nonce} ${pid} 4711 ${bootId}\n`;
  assert.equal(client.stderr().toString('latin1'), before + second + '\0'.repeat(300_000));
  // The header comes over a pipe and `opened` over the master's socket: either may be first.
  const report = client.report().filter((line) => !line.startsWith('opened '));
  assert.deepEqual(report, ['opening', `header ${pid} 4711 ${bootId}`, 'exit 0']);
});

muxTest('without a header everything passes, to the last byte', async (host) => {
  const client = host.run(`printf 'x\\036CLF1 ${nonce} 12' >&2`, {
    env: { CLAWDFATHER_MUX_NONCE: nonce },
  });
  assert.equal(await client.ended, 0);
  assert.equal(client.stderr().toString(), `x\x1eCLF1 ${nonce} 12`);
});

muxTest(
  'MaxSessions: one more is refused, and the others are unharmed',
  async (host) => {
    const others = [1, 2, 3].map(() => host.run('echo up; cat', { stdin: 'pipe' }));
    for (const other of others) await other.says('up');
    const refused = host.run('true');
    assert.equal(await refused.ended, 255);
    assert.deepEqual(refused.report(), ['opening', 'refused Session open refused by peer']);
    for (const other of others) {
      other.child.stdin?.end('still here\n');
      assert.equal(await other.ended, 0);
      assert.equal(other.stdout().toString(), 'up\nstill here\n');
    }
    await host.serves();
  },
  { config: ['MaxSessions 3'] },
);

muxTest(
  'MaxSessions: one that may wait gets the place of another that ends, with its input',
  async (host) => {
    const others = [1, 2, 3].map(() => host.run('echo up; cat', { stdin: 'pipe' }));
    for (const other of others) await other.says('up');
    const crowded = join(host.sshd.dir, 'crowded');
    const env = {
      CLAWDFATHER_MUX_RETRY_MS: '60000',
      CLAWDFATHER_MUX_CROWDED: crowded,
      CLAWDFATHER_MUX_STDIN: 'first ',
    };
    const waiting = host.run('exec cat', { env, stdin: 'pipe' });
    await waiting.reports('crowded');
    await until('the file that says so', () => existsSync(crowded));
    const cancelled = host.run('true', { env });
    await cancelled.reports('crowded');
    cancelled.child.kill('SIGTERM');
    assert.equal(await cancelled.ended, 255);
    assert.deepEqual(cancelled.report(), ['opening', 'crowded', 'cancelling 15', 'not-sent']);
    const given = host.run('true', { env: { ...env, CLAWDFATHER_MUX_RETRY_MS: '1' } });
    assert.equal(await given.ended, 255);
    assert.equal(given.report().at(-1), 'refused Session open refused by peer');
    others[0]?.child.stdin?.end();
    waiting.child.stdin?.end('then');
    assert.equal(await waiting.ended, 0);
    assert.equal(waiting.stdout().toString(), 'first then');
    assert.match(waiting.report().join(' '), /^opening crowded opened [0-9]+ exit 0$/);
    for (const other of others.slice(1)) {
      other.child.stdin?.end('still here\n');
      assert.equal(await other.ended, 0);
    }
    assert.equal(host.sshd.log().split('Accepted publickey').length - 1, 1, 'one connection');
  },
  { config: ['MaxSessions 3'] },
);

muxTest('a master that is killed is named as lost', async (host) => {
  const client = host.run('echo up; exec sleep 1000');
  await client.says('up');
  process.kill(host.masterPid, 'SIGKILL');
  assert.equal(await client.ended, 255);
  assert.equal(client.report().at(-1), 'ended-without-code master-lost');
});

muxTest(
  'a master that stands still is given up in time, and serves when it goes on',
  async (host) => {
    await freezeProcess(host.masterPid);
    const client = host.run('true', { env: { CLAWDFATHER_MUX_OPEN_MS: '200' } });
    assert.equal(await client.exited, 255);
    assert.deepEqual(client.report(), ['opening', 'open-timeout']);
    process.kill(host.masterPid, 'SIGCONT');
    await host.serves();
  },
);

muxTest('a socket that is missing, and one that is stale', async (host, rig) => {
  const missing = host.run('true', { socket: join(rig.dir, 'none') });
  assert.equal(await missing.ended, 255);
  assert.deepEqual(missing.report(), ['no-master ENOENT']);
  process.kill(host.masterPid, 'SIGKILL');
  const lost = host.run('exec sleep 1000');
  assert.equal(await lost.ended, 255);
  const stale = host.run('true');
  assert.equal(await stale.ended, 255);
  assert.deepEqual(stale.report(), ['no-master ECONNREFUSED']);
});

muxTest('what is no master is not believed', async (host, rig) => {
  let answer = Buffer.alloc(0);
  const server = createServer((peer) => {
    peer.on('error', () => {}); /* It may be gone before it has heard us. */
    peer.resume().end(answer);
  });
  const socket = join(rig.dir, 'false');
  const listening = Promise.withResolvers<void>();
  server.listen(socket, listening.resolve);
  await listening.promise;
  rig.defer(() => void server.close());
  for (const hex of ['ffffffff', '0000000400000001', '0000000c80000003000000010000ffff']) {
    answer = Buffer.from(hex, 'hex');
    const client = host.run('true', { socket });
    assert.equal(await client.ended, 255);
    assert.deepEqual(client.report(), [
      'opening',
      'protocol packet',
      'ended-without-code master-lost',
    ]);
  }
});

muxTest('the longest command that an environment can hold', async (host) => {
  const start = 'printf %s ';
  const longest = 131_071 - 'CLAWDFATHER_MUX_COMMAND='.length;
  const word = 'x'.repeat(longest - start.length);
  const client = host.run(start + word);
  assert.equal(await client.ended, 0, client.report().join('\n'));
  assert.equal(client.stdout().toString(), word);
});

muxTest('what it cannot be told is refused before a master is asked', async (host) => {
  const bad: readonly (readonly [Record<string, string>, string])[] = [
    [{ CLAWDFATHER_MUX_COMMAND: '' }, 'no command'],
    [{ CLAWDFATHER_MUX_OPEN_MS: '0' }, 'bad limit'],
    [{ CLAWDFATHER_MUX_SWEEP_MS: '5s' }, 'bad limit'],
    [{ CLAWDFATHER_MUX_NONCE: 'with space' }, 'no pipes, or no nonce'],
  ];
  for (const [env, why] of bad) {
    const client = host.run('true', { env });
    assert.equal(await client.ended, 255);
    assert.deepEqual(client.report(), [`bad-setup ${why}`]);
  }
});

muxTest('S4: neither command nor payload stays where others may look', async (host) => {
  const word = 'a-word-to-be-kept';
  const client = host.run(`echo up; read line; : ${word}; cat`, {
    stdin: 'pipe',
    env: { CLAWDFATHER_MUX_STDIN: `${word}\n`, CLAWDFATHER_MUX_NONCE: nonce, TERM: 'dumb' },
  });
  await client.says('up');
  client.child.stdin?.write('one\n');
  await client.says('one');
  for (const name of ['environ', 'cmdline']) {
    const text = readFileSync(`/proc/${client.pid}/${name}`, 'latin1');
    assert.ok(!text.includes(word), name);
  }
  client.child.stdin?.end();
  assert.equal(await client.ended, 0);
});

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
