/*
 * The packed file, as people install, upgrade and remove it (support/installed-rig.ts).
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  globSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  createInstalled,
  type Installed,
  needsMusl,
  nextVersion,
  type Packed,
  packInto,
  packOnce,
  type Started,
  unpack,
} from '../support/installed-rig.ts';

let packed: Packed;
before(() => {
  if (needsMusl.skip === false) packed = packOnce();
});
after(() => {
  if (needsMusl.skip === false) rmSync(packed.dir, { recursive: true });
});

const options = { timeout: 120_000, ...needsMusl };
/* A few MB: what the package may grow to before somebody should ask why. */
const packedBytesMax = 4_000_000;

interface ListedShim {
  readonly arch: string;
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

test('the file holds what it needs and no more, and its list of hashes is true', options, () => {
  const stage = unpack(packed.file, join(packed.dir, 'looked-at'));
  assert.ok(statSync(packed.file).size < packedBytesMax);
  const manifest = JSON.parse(readFileSync(join(stage, 'package.json'), 'utf8'));
  assert.deepEqual(Object.keys(manifest).toSorted(), [
    'bin',
    'cpu',
    'description',
    'engines',
    'license',
    'name',
    'os',
    'type',
    'version',
  ]);
  assert.deepEqual(manifest.cpu, packed.arches);
  for (const name of ['LICENSE', 'README.md', 'docs/install.md']) statSync(join(stage, name));
  const licences = readFileSync(join(stage, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  for (const name of ['fastify', 'zod', 'musl'])
    assert.match(licences, new RegExp(`^${name} `, 'm'));
  const shimDir = join(stage, 'packages/shim/dist');
  const list = JSON.parse(readFileSync(join(shimDir, 'shims.json'), 'utf8'));
  const shims: readonly ListedShim[] = list.shims;
  assert.deepEqual(
    shims.map(({ arch }) => arch),
    packed.arches,
  );
  assert.deepEqual(
    readdirSync(shimDir).toSorted(),
    [...shims.map(({ file }) => file), 'shims.json'].toSorted(),
  );
  for (const { arch, file, bytes, sha256 } of shims) {
    const program = readFileSync(join(shimDir, file));
    assert.equal(program.length, bytes);
    assert.equal(createHash('sha256').update(program).digest('hex'), sha256);
    // e_machine of the ELF header.
    assert.equal(program.readUInt16LE(18), arch === 'arm64' ? 183 : 62);
  }
});

test('packing the same twice gives the same bytes', options, () => {
  const again = packInto(join(packed.dir, 'again'), packed.arches);
  assert.ok(readFileSync(again).equals(readFileSync(packed.file)));
});

test(
  'without a compiler: commands, the doctor, an agent over MCP; a changed shim is told of',
  options,
  async (t) => {
    const installed = createInstalled(t);
    installed.npm('install', packed.file);
    const told = await installed.clf(['run', '--', 'sh', '-c', 'echo hello; exit 3'], 3);
    assert.equal(told.stdout, 'hello\n');
    await installed.clf(['run', '-d', '--name', 'stays', '--', 'sleep', '1000']);
    const doctor = await installed.clf(['doctor', '--json']);
    const { findings } = JSON.parse(doctor.stdout);
    // An ordinary user cannot look into its own shims.
    const shims = findings.find(({ check }: { readonly check: string }) => check === 'shims');
    // That of a run that has just ended may still be there.
    assert.match(shims?.summary, /^[1-9] shims?, none stopped or without a run$/);
    await installed.clf(['rm', '-f', 'stays']);
    for (const name of ['shim', 'kernel', 'self-test', 'program', 'code-cache']) {
      const found = findings.find(({ check }: { readonly check: string }) => check === name);
      assert.equal(found?.status, 'ok', `${name}: ${found?.summary}`);
    }
    const agent = installed.start(['mcp', '--security', 'full', '--ask', 'off']);
    await ask(agent, {
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      },
    });
    send(agent, { method: 'notifications/initialized' });
    const answer = await ask(agent, {
      id: 2,
      method: 'tools/call',
      params: {
        name: 'exec',
        arguments: { argv: ['seq', '3'] },
      },
    });
    assert.match(JSON.stringify(answer), /"exitCode":0/);
    agent.child.stdin?.end();
    assert.equal((await agent.result).code, 0);

    const [program = ''] = globSync(
      join(installed.prefix, `lib/node_modules/clawdfather/packages/shim/dist/*-${process.arch}`),
    );
    writeFileSync(program, Buffer.concat([readFileSync(program), Buffer.from('more')]));
    const { stdout } = await installed.clf(['doctor'], 1);
    assert.match(stdout, /FAIL {2}shim: .* is not the program that was installed/);
  },
);

test(
  'an upgrade: runs and the gateway go on, and the new version finds them',
  options,
  async (t) => {
    const installed = createInstalled(t);
    const { home } = installed;
    const clf: Installed['clf'] = (...words) => installed.clf(...words);
    installed.npm('install', packed.file);
    const script = 'seq 1 5000; until test -e go; do sleep 0.05; done; seq 5001 10000; exit 4';
    const watched = installed.start(['run', '--name', 'watched', '--', 'sh', '-c', script]);
    await clf(['run', '-d', '--name', 'left', '--', 'sh', '-c', script]);
    await clf(['run', '-d', '--name', 'endless', '--', 'sleep', '1000']);
    const gateway = await serve(installed);
    await clf(['run', '-g', gateway.url, '-d', '--name', 'served', '--', 'sh', '-c', script]);
    const isOld = (pid: number): boolean => readlinkSync(`/proc/${pid}/exe`).endsWith(' (deleted)');

    installed.npm('install', packed.nextFile);

    assert.match((await clf(['version'])).stdout, new RegExp(`^clawdfather ${nextVersion} `));
    const running = (await clf(['ps', '-f', 'state=running', '--json'])).stdout;
    for (const name of ['watched', 'left', 'endless', 'served']) {
      assert.match(running, new RegExp(`"name":"${name}"`));
    }
    await asksAll(gateway.url);
    const [spawnd = 0] = spawndsOf(gateway.pid);
    assert.ok(isOld(spawnd));
    process.kill(spawnd, 'SIGKILL');
    const at = await clf(['run', '-g', gateway.url, '--', 'sh', '-c', 'echo still here']);
    assert.equal(at.stdout, 'still here\n');
    assert.ok(spawndsOf(gateway.pid).every(isOld), 'the old gateway starts its own shim');

    assert.match((await clf(['kill', 'endless'])).stdout, /cancelled/);
    writeFileSync(join(home, 'go'), '');
    const whole = Array.from({ length: 10_000 }, (_, index) => `${index + 1}\n`).join('');
    for (const name of ['left', 'served']) {
      await clf(['wait', name], 4);
      assert.equal((await clf(['logs', name])).stdout, whole);
    }
    const end = await watched.result;
    assert.deepEqual([end.code, end.stdout], [4, whole]);

    // The new version stops the old gateway, and takes its place.
    await clf(['stop']);
    assert.equal((await gateway.process.result).code, 0);
    const next = await serve(installed);
    await asksAll(next.url);
    assert.match((await clf(['ps', '-a', '-g', next.url])).stdout, /served/);
    await clf(['stop']);
  },
);

test('uninstalling leaves nothing but the state, and ends nothing', options, async (t) => {
  const installed = createInstalled(t);
  installed.npm('install', packed.file);
  const gateway = await serve(installed);
  await installed.clf(['run', '-d', '--name', 'left', '--', 'sleep', '1000']);
  installed.npm('uninstall', 'clawdfather');
  assert.deepEqual(filesIn(installed.prefix), []);
  await asksAll(gateway.url);
  gateway.process.child.kill('SIGTERM');
  assert.equal((await gateway.process.result).code, 0);
  const runs = globSync(join(installed.home, '.local/state/clawdfather/runs/*'));
  assert.equal(runs.length, 1);
  // Installed again, everything is there.
  installed.npm('install', packed.nextFile);
  assert.match((await installed.clf(['ps'])).stdout, /left +running/);
  await installed.clf(['rm', '-f', 'left']);
});

interface Served {
  readonly url: string;
  readonly pid: number;
  readonly process: Started;
}

async function serve(installed: Installed): Promise<Served> {
  const process = installed.start(['serve', '--json', '--listen', '127.0.0.1:0']);
  const { url, pid } = JSON.parse(await process.line());
  await installed.clf(['login']);
  return { url, pid, process };
}

/* What is read or loaded only when somebody asks. */
async function asksAll(url: string): Promise<void> {
  for (const path of ['/health', '/metrics', '/login', '/sw.js']) {
    const answer = await fetch(`${url}${path}`);
    assert.equal(answer.status, 200, path);
    assert.notEqual(await answer.text(), '');
  }
  // Nobody is signed in; that it says so in the words of the protocol is what is loaded on demand.
  const answer = await fetch(`${url}/mcp`, { method: 'POST', body: '{}' });
  assert.equal(answer.status, 401);
}

function spawndsOf(gatewayPid: number): readonly number[] {
  const children = readFileSync(`/proc/${gatewayPid}/task/${gatewayPid}/children`, 'utf8');
  return children
    .split(' ')
    .filter(Boolean)
    .map(Number)
    .filter((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'clf-spawnd\n');
}

function filesIn(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}

function send({ child }: Started, message: object): void {
  child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

interface Question {
  readonly id: number;
  readonly method: string;
  readonly params: object;
}

async function ask(agent: Started, question: Question): Promise<object> {
  const { id } = question;
  send(agent, question);
  for (;;) {
    const message = JSON.parse(await agent.line());
    if (message.id === id) return message.result;
  }
}
