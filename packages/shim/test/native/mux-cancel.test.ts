/*
 * Being told to end: what runs on the host is ended first, and what came of it is reported.
 *
 * The sweep script here is a small one of the test's own; what matters to the client is its last line.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freezeProcess } from '@clawdfather/testkit';
import { isAlive } from '../process-rig.ts';
import { type Client, type Host, muxTest } from './mux-rig.ts';
import { type Rig, until } from './rig.ts';

/* The test machine is the host, and others may run the same tests on it. */
const lease = `LEASE=of-${process.pid}`;

/* Kills whatever has exactly this lease in its environment; a few times, as an exec hides it for a moment. */
const sweep = [
  'found=0',
  'for pass in 1 2 3; do',
  `  for file in $(grep -lF ${lease} /proc/[0-9]*/environ 2> /dev/null); do`,
  '    pid=${file#/proc/}; pid=${pid%/environ}',
  `    if tr '\\0' '\\n' < "$file" | grep -qxF ${lease}; then`,
  '      kill -9 "$pid" && found=$((found + 1))',
  '    fi',
  '  done',
  'done',
  'echo noise of a login file; echo "CLF-SWEPT $found 0"',
].join('\n');

/* A shell and two others, one of them in a session of its own; none says anything after that. */
const quietTree =
  'setsid sleep 1000 > /dev/null 2>&1 & a=$!; sleep 1000 & echo "$$ $a $!"; exec sleep 1000';

function startTree(host: Host, env: Record<string, string> = {}): Client {
  return host.run(`export ${lease}; ${quietTree}`, {
    env: { CLAWDFATHER_MUX_SWEEP: sweep, ...env },
  });
}

async function pidsOf(client: Client): Promise<readonly number[]> {
  await client.says('\n');
  return client.stdout().toString().trim().split(' ').map(Number);
}

function carriers(): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return readFileSync(`/proc/${name}/environ`, 'latin1').split('\0').includes(lease);
    } catch {
      return false; /* No process, or gone. */
    }
  });
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  muxTest(`${signal} ends a quiet tree on the host, and says so`, async (host) => {
    const client = startTree(host);
    const pids = await pidsOf(client);
    client.child.kill(signal);
    assert.equal(await client.ended, 255);
    const numbers = { SIGTERM: 15, SIGINT: 2, SIGHUP: 1 };
    assert.ok(client.report().includes(`cancelling ${numbers[signal]}`));
    assert.match(client.report().join('\n'), /^swept confirmed \d+$/m);
    assert.ok(client.report().includes('ended-without-code master-alive'));
    for (const pid of pids) await until(`${pid} is gone`, () => !isAlive(pid));
    await host.serves();
  });
}

muxTest('a command that ends by itself when it is swept keeps its code', async (host) => {
  const client = host.run(
    `trap 'echo last words; exit 5' TERM; echo $$; while :; do sleep 0.01; done`,
    {
      env: { CLAWDFATHER_MUX_SWEEP: 'kill -TERM "$(cat "$HOME/pid")"; echo CLF-SWEPT 1 0' },
    },
  );
  await client.says('\n');
  const pid = client.stdout().toString().trim();
  await host.run(`echo ${pid} > "$HOME/pid"`).ended;
  client.child.kill('SIGTERM');
  assert.equal(await client.ended, 5);
  assert.equal(client.stdout().toString(), `${pid}\nlast words\n`);
});

muxTest('a command that has no lease yet is swept once it has one', async (host, rig) => {
  const gate = join(rig.dir, 'gate');
  const client = host.run(
    `echo up; until [ -e ${gate} ]; do sleep 0.01; done; export ${lease}; exec sleep 1000`,
    { env: { CLAWDFATHER_MUX_SWEEP: `${sweep}; touch ${gate}` } },
  );
  await client.says('up');
  client.child.kill('SIGTERM');
  assert.equal(await client.ended, 255);
  assert.equal(client.report().at(-1), 'swept confirmed 1');
});

muxTest('nothing found is no proof while the session is open', async (host) => {
  const client = host.run('echo up; exec sleep 1000', {
    env: { CLAWDFATHER_MUX_SWEEP: sweep, CLAWDFATHER_MUX_SWEEP_MS: '400' },
  });
  await client.says('up');
  client.child.kill('SIGTERM');
  assert.equal(await client.ended, 255);
  assert.match(client.report().at(-1) ?? '', /^swept unconfirmed (?:session-open|timeout)$/);
});

muxTest('survivors are counted, and no answer is called that', async (host) => {
  const sweeps: readonly (readonly [string | undefined, string])[] = [
    ['echo CLF-SWEPT 4 2', 'swept survivors 2'],
    ['echo CLF-SWEPT 4 x; echo CLF-SWEPT 1 0 0', 'swept unconfirmed no-answer'],
    ['exit 1', 'swept unconfirmed no-answer'],
    ['exec sleep 1000', 'swept unconfirmed timeout'],
    [undefined, 'swept unconfirmed no-script'],
  ];
  for (const [script, said] of sweeps) {
    const env = script === undefined ? {} : { CLAWDFATHER_MUX_SWEEP: script };
    const limit = said.endsWith('timeout') ? { CLAWDFATHER_MUX_SWEEP_MS: '100' } : {};
    const client = host.run('echo up; exec sleep 1000', { env: { ...env, ...limit } });
    await client.says('up');
    client.child.kill('SIGTERM');
    assert.equal(await client.ended, 255);
    assert.equal(client.report().at(-1), said);
  }
});

muxTest(
  'without a place for the sweep nothing is confirmed',
  async (host) => {
    const client = startTree(host);
    await pidsOf(client);
    client.child.kill('SIGTERM');
    assert.equal(await client.ended, 255);
    assert.equal(client.report().at(-1), 'swept unconfirmed refused');
  },
  { config: ['MaxSessions 1'] },
);

muxTest('a lost master leaves what runs unconfirmed', async (host) => {
  const client = startTree(host);
  await pidsOf(client);
  await freezeProcess(client.pid);
  process.kill(host.masterPid, 'SIGKILL');
  await until('the master is gone', () => !isAlive(host.masterPid));
  client.child.kill('SIGTERM');
  client.child.kill('SIGCONT');
  assert.equal(await client.ended, 255);
  const report = client.report();
  assert.ok(report.includes('ended-without-code master-lost'), report.join('\n'));
  assert.equal(report.at(-1), 'swept unconfirmed no-master');
});

/* The server's processes for this connection: the master's words reach them and stay there. */
async function freezeServer(host: Host, rig: Rig): Promise<() => void> {
  const client = host.run('echo $PPID');
  await client.ended;
  const pid = Number(client.stdout().toString());
  await freezeProcess(pid);
  const thaw = (): void => void process.kill(pid, 'SIGCONT');
  rig.defer(() => {
    if (isAlive(pid)) thaw();
  });
  return thaw;
}

muxTest(
  'told to end before it opens, it waits for the opening and ends the ghost',
  async (host, rig) => {
    const thaw = await freezeServer(host, rig);
    const client = startTree(host);
    await client.reports('opening');
    client.child.kill('SIGTERM');
    await client.reports('cancelling');
    assert.ok(!client.report().some((line) => line.startsWith('swept')));
    thaw();
    assert.equal(await client.ended, 255);
    const [, , opened, ...rest] = client.report();
    assert.match(opened ?? '', /^opened/);
    assert.match(rest.at(-1) ?? '', /^swept confirmed [1-9]/);
    await until('nothing has the lease', () => carriers().length === 0);
    await host.serves();
  },
);

muxTest('what does not open in time is not swept by it', async (host, rig) => {
  const thaw = await freezeServer(host, rig);
  const client = startTree(host, { CLAWDFATHER_MUX_OPEN_MS: '2000' });
  await client.reports('opening');
  client.child.kill('SIGTERM');
  assert.equal(await client.exited, 255);
  assert.deepEqual(client.report(), [
    'opening',
    'cancelling 15',
    'open-timeout',
    'swept unconfirmed open-timeout',
  ]);
  thaw();
  await host.serves();
});

muxTest('what is printed meanwhile is passed on, and its reader may be slow', async (host, rig) => {
  const done = join(rig.dir, 'done');
  const client = host.run(
    `printf '\\036CLF1 nonce-1234 1 2 3\\n' >&2; echo up; head -c 3000000 /dev/zero >&2; touch ${done}; exec sleep 1000`,
    {
      isStalled: true,
      env: {
        CLAWDFATHER_MUX_NONCE: 'nonce-1234',
        CLAWDFATHER_MUX_SWEEP: `until [ -e ${done} ]; do sleep 0.01; done; echo CLF-SWEPT 0 1`,
      },
    },
  );
  await client.reports('header');
  client.child.kill('SIGTERM');
  await client.reports('cancelling');
  client.resume();
  assert.equal(await client.ended, 255);
  assert.equal(client.report().at(-1), 'swept survivors 1');
  assert.ok(existsSync(done));
  /* What was on its way then may be lost; before that nothing is. */
  assert.ok(client.stderr().length > 500_000, `only ${client.stderr().length}`);
});
