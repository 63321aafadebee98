/*
 * Every verb about runs with `--host`, on a real sshd through a real gateway: lists are those of the host, one run is checked against it,
 * and people read its name.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cliShapes } from '@clawdfather/protocol';
import { sshdSkip } from '@clawdfather/testkit';
import { decideAt, skip as decideSkip } from '../support/asking-agent.ts';
import { createCliRig } from '../support/cli-process.ts';
import { addWeb, openRealHost } from '../support/real-host.ts';
import { signIn } from '../support/signed-in.ts';
import { createTerminalRig } from '../support/terminal-rig.ts';
import { createTokenAgent } from '../support/token-agent.ts';

test('without a gateway --host says how to start one', async (context) => {
  const rig = createCliRig(context);
  const clf = (...args: string[]) => rig.clf(...args);
  const lines = ['run -- true', 'exec -- true', 'ps', 'logs x', 'kill x', 'top --once', 'wait x'];
  for (const line of [...lines, 'ps -g local']) {
    const [verb = '', ...rest] = line.split(' ');
    const { code, stderr } = await clf(verb, '--host', 'web', ...rest);
    assert.equal(code, 125);
    assert.match(stderr, /SSH hosts need a gateway[^]*clf serve[^]*\(gateway-needed\)/, line);
  }
  assert.match((await clf('ps', '--host', 'local')).stdout, /^No runs yet/);
  assert.equal((await clf('run', '--host', 'local', '--', 'sh', '-c', 'exit 3')).code, 3);
  assert.match((await clf('ps', '-a', '--host', 'local')).stdout, /exit 3/);
});

test('verbs and an SSH host', { timeout: 300_000, skip: sshdSkip }, async (context) => {
  const host = await openRealHost(context);
  const { rig, address, url } = host;
  const clf = (...args: string[]) => rig.clf(...args);
  await addWeb(host);
  const db = await clf('host', 'add', 'db', address);
  assert.equal(db.code, 1, 'it is there, and not tested');
  const there = (verb: string, ...rest: string[]) => clf(verb, '--host', 'web', ...rest);
  await clf('run', '-d', '--name', 'here', '--', 'sleep', '600');
  await there('run', '-d', '-i', '--pty', '--name', 'shell', '--', 'cat');
  await there('run', '-d', '-i', '--name', 'reader', '--', 'cat');

  await context.test('lists are those of the host, and a column says where', async () => {
    const names = async (...flags: string[]) =>
      (await clf('ps', '--json', ...flags)).stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => cliShapes.run.parse(JSON.parse(line)))
        .filter(({ backendId }) => backendId !== 'ssh')
        .map(({ name, host: on }) => `${name} ${on}`)
        .toSorted();
    assert.deepEqual(await names('--host', 'web'), ['reader web', 'shell web']);
    assert.deepEqual(await names('--host', 'db'), []);
    for (const place of [[], ['-g', url]]) {
      const flags = [...place, '--host', 'local'];
      assert.deepEqual(await names(...flags), ['here local'], flags.join(' '));
      const everywhere = ['here local', 'reader web', 'shell web'];
      assert.deepEqual(await names(...place), everywhere, place.join(' '));
      const { stdout } = await clf('ps', ...place);
      assert.match(stdout, /^ID +NAME +HOST +STATE/);
      assert.match(stdout, / shell +web +running .* - +- +cat\n/, 'nothing of it is measured here');
    }
    assert.doesNotMatch((await clf('ps', '--host', 'local')).stdout, /HOST/);
    assert.match((await clf('ps', '--host', 'db')).stdout, /on db[^]*clf run --host db -d/);
    const top = JSON.parse((await there('top', '--once', '--json')).stdout);
    cliShapes.look.parse(top);
    assert.deepEqual(
      top.runs.map((one: Record<string, unknown>) => [one['host'], one['cpuPercent']]),
      [
        ['web', null],
        ['web', null],
      ],
    );
    assert.match((await there('top', '--once')).stdout, /ID +NAME↓? +HOST +STATE/);
  });

  await context.test('one run is typed into, looked at, waited for', async () => {
    assert.equal((await there('resize', 'shell', '70x10')).code, 0);
    assert.equal((await there('send-keys', 'shell', '-l', 'typed ', 'Enter')).code, 0);
    assert.equal((await there('paste', 'shell', 'pasted')).code, 0);
    const terminals = await createTerminalRig(context, rig.env);
    const attached = await terminals.open(['attach', '--host', 'web', 'shell']);
    await attached.shows(/typed/);
    await attached.shows(/pasted/);
    await attached.type('\r\u0004');
    assert.equal((await attached.exit()).code, 0);
    assert.match((await there('screen', 'shell')).stdout, /typed/);
    assert.equal((await there('wait', 'shell')).code, 0);
    assert.equal((await there('input', '--eof', 'reader', 'all of it')).code, 0);
    assert.equal((await there('wait', 'reader')).code, 0);
    assert.equal((await there('logs', 'reader')).stdout, 'all of it');
    assert.match((await there('show', 'reader')).stdout, /^host +web$[^]*^directory +~$/m);
    assert.equal((await there('rm', 'reader')).code, 0);
  });

  await context.test('a run on another host is not touched', async () => {
    const verbs = ['logs', 'show', 'wait', 'kill', 'screen', 'rm'];
    for (const verb of verbs) {
      const { code, stderr } = await there(verb, 'here');
      assert.equal(code, 125, verb);
      assert.match(stderr, /run \w+ is on no SSH host, not on web[^]*\(run-elsewhere\)/, verb);
    }
    const other = await clf('logs', '--host', 'db', 'shell');
    assert.match(other.stderr, /run \w+ is on web, not on db[^]*\(run-elsewhere\)/);
    const nothing = await there('logs', 'no-such-run');
    assert.match(nothing.stderr, /\(run-not-found\)/);
    assert.match((await clf('ps', '--host', 'nowhere')).stderr, /\(host-not-found\)/);
    assert.match((await clf('ps', '-q')).stdout, /\w{16}/, 'it lives');
  });

  await context.test('signals: those that end it, and no others', async () => {
    await there('run', '-d', '--name', 'signalled', '--', 'sleep', '600');
    const refused = await clf('kill', '-s', 'USR1', 'signalled');
    assert.match(refused.stderr, /SIGUSR1 cannot be sent to web: ssh carries no signals/);
    assert.equal((await clf('kill', '-s', 'HUP', 'signalled')).code, 0);
    assert.notEqual((await clf('wait', 'signalled')).code, 0);
  });

  await context.test('from elsewhere, with the gateway’s name', async () => {
    const away = await signIn(rig, { url, loginLink: await linkOf(clf) });
    const done = await away.clf('run', '--host', 'web', '-n', '--', 'sh', '-c', 'echo $0; exit 5');
    assert.deepEqual([done.code, done.stdout], [5, 'sh\n'], done.stderr);
    assert.match((await away.clf('ps', '-a', '--host', 'web')).stdout, / web +exit 5 /);
    // A gateway has a second to answer a Tab; on a busy machine the next Tab has its words.
    const complete = async (...words: string[]): Promise<readonly string[]> => {
      for (let tab = 0; tab < 20; tab += 1) {
        const { code, stdout } = await away.clf('__complete', '--', ...words);
        if (code === 0) return stdout.split('\n').flatMap((line) => line.split('\t')[0] || []);
      }
      return [];
    };
    assert.deepEqual((await complete('logs', '--host', 'web', 'sh')).slice(0, 2), [
      'words',
      'shell',
    ]);
    assert.deepEqual(await complete('logs', '--host', 'web', 'he'), ['words'], 'it is not there');
    assert.deepEqual(await complete('run', '--host', ''), ['words', 'db', 'web']);
  });

  await context.test(
    'an agent asks for a host over MCP, and a person lets it run there',
    { skip: decideSkip },
    async () => {
      const token = (await clf('token', 'create', '--scope', 'read,run', 'agent')).stdout.trim();
      const [, mcp] = createTokenAgent(url, token).doors;
      const held = await mcp?.exec('echo "on $PWD"; exit 8', undefined, 'web');
      assert.equal(held?.['status'], 'approval-pending', JSON.stringify(held));
      assert.match(String(held?.['why']), /it runs on another machine \(web\)/);
      for (const place of [[], ['-g', url]]) {
        const { stdout } = await clf('approvals', ...place);
        assert.match(stdout, / web:~\n/, 'the name of the host, here and at the gateway');
        const json = JSON.parse((await clf('approvals', ...place, '--json')).stdout);
        assert.deepEqual([json.host, json.cwd], ['web', '~']);
      }
      assert.match((await there('ps')).stdout, / web +held /);
      const runId = String(held?.['runId']);
      // On this machine the agent would be among our own parents, and nobody decides for it there.
      const decided = await decideAt(rig, 'allow', '-g', url, String(held?.['approvalId']));
      assert.equal(decided.code, 0, decided.text);
      const waited = await there('wait', runId);
      assert.equal(waited.code, 8, waited.stderr);
      assert.match((await there('logs', runId)).stdout, /^on \//);
      assert.match((await there('show', runId)).stdout, /^allowed by +approval:\w+$/m);
    },
  );
});

async function linkOf(clf: (...args: string[]) => Promise<{ stdout: string }>): Promise<string> {
  const { stdout } = await clf('login', '--link');
  return /\S+#clf-link=\S+/.exec(stdout)?.[0] ?? '';
}
