/*
 * `clf exec`, `send-keys`, `paste`, `screen` and `resize` with real commands.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { execResultSchema } from '@clawdfather/protocol';
import { mcpSpec } from '../../src/commands/mcp-spec.ts';
import { openAgentTools } from '../../src/mcp/open-agent-tools.ts';
import { createCliRig } from '../support/cli-process.ts';
import { callWith } from '../support/configs.ts';

interface ScreenJson {
  readonly lines: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
  readonly cols: number;
  readonly rows: number;
  readonly isAlternate: boolean;
}

test('S3: a command has the caller’s limits of open files, not those Node gave itself', async (context) => {
  const rig = createCliRig(context);
  const env = { CLAWDFATHER_OPEN_FILES: '300:600' };
  const { stdout } = await rig.clfWith({ env }, 'exec', '-c', 'ulimit -Sn; ulimit -Hn');
  assert.equal(stdout, '300\n600\n');
});

test('output is shown and the exit code passed through', async (context) => {
  const rig = createCliRig(context);
  const said = await rig.clf('exec', '--', 'sh', '-c', 'printf "\\033[31mred\\033[0m\\n"; exit 7');
  assert.deepEqual([said.stdout, said.stderr, said.code], ['red\n', '', 7]);
  const line = await rig.clf('exec', '-c', 'echo one | tr a-z A-Z');
  assert.deepEqual([line.stdout, line.code], ['ONE\n', 0]);
  const input = await rig.clfWith({ input: 'a\nb\n' }, 'exec', '-i', '--', 'wc', '-l');
  assert.equal(input.stdout.trim(), '2');
  const env = await rig.clf('exec', '-e', 'WORD=x y', '-C', '/tmp', '-c', 'echo "$WORD"; pwd');
  assert.equal(env.stdout, 'x y\n/tmp\n');
});

test('failures have the codes that shells use', async (context) => {
  const rig = createCliRig(context);
  const code = async (...args: string[]) => (await rig.clf('exec', ...args)).code;
  assert.equal(await code('--', 'no-such-program'), 127);
  assert.equal(await code('--', '/etc/passwd'), 126);
  assert.equal(await code('-c', 'kill -9 $$'), 137);
  assert.equal(await code('--timeout', '100ms', '--', 'sleep', '60'), 124);
  assert.equal(await code('--security', 'deny', '--', 'true'), 126);
  const nothing = await rig.clf('exec');
  assert.equal(nothing.code, 125);
  assert.match(nothing.stderr, /there is no command/);
  const both = await rig.clf('exec', '-c', 'true', '--', 'true');
  assert.match(both.stderr, /not both/);
});

test('in the background only a limit that somebody chose holds', async (context) => {
  const rig = createCliRig(context);
  const limitOf = async (env: Record<string, string>, ...flags: string[]) => {
    const args = ['exec', '--json', '-b', ...flags, '--', 'sleep', '600'];
    const { stdout } = await rig.clfWith({ env }, ...args);
    const started = execResultSchema.parse(JSON.parse(stdout));
    assert.ok(started.status === 'running');
    await rig.clf('kill', started.runId);
    return started.timeoutMs;
  };
  assert.equal(await limitOf({}), null);
  assert.equal(await limitOf({}, '--timeout', '20m'), 1_200_000);
  assert.equal(await limitOf({ CLAWDFATHER_EXEC_TIMEOUT: '30m' }), 1_800_000);
});

test('what takes longer goes on in the background, and is not taken for a success', async (context) => {
  const rig = createCliRig(context);
  const yielded = await rig.clf('exec', '--yield', '5s', '-c', 'echo begun; sleep 600');
  assert.equal(yielded.code, 124);
  assert.equal(yielded.stdout, 'begun\n');
  assert.match(yielded.stderr, /still running after 5\.0s, as run ([0-9a-z]{12})/);
  assert.equal((await rig.live()).length, 1);
  const back = await rig.clf('exec', '-b', '--', 'sleep', '600');
  assert.equal(back.code, 0);
  assert.match(back.stdout, /^[0-9a-z]{16}\n$/);
  assert.equal((await rig.live()).length, 2);
});

test('Ctrl-C ends what is in the foreground', async (context) => {
  const rig = createCliRig(context);
  const exec = rig.start({}, 'exec', '-c', 'echo up; sleep 600');
  await exec.saw('up');
  exec.child.kill('SIGINT');
  assert.equal((await exec.result).signal, 'SIGINT');
  assert.deepEqual(await rig.live(), []);
});

test('a second Ctrl-C leaves it no time; a lost terminal leaves it alone', async (context) => {
  const rig = createCliRig(context);
  const stubborn = 'trap "" TERM; echo up; while :; do sleep 600; done';
  const exec = rig.start({}, 'exec', '-c', stubborn);
  await exec.saw('up');
  exec.child.kill('SIGINT');
  exec.child.kill('SIGTERM');
  assert.ok(['SIGINT', 'SIGTERM'].includes((await exec.result).signal ?? ''));
  assert.deepEqual(await rig.live(), []);
  const lost = rig.start({}, 'exec', '-c', 'echo up; sleep 600');
  await lost.saw('up');
  lost.child.kill('SIGHUP');
  assert.equal((await lost.result).signal, 'SIGHUP');
  assert.equal((await rig.live()).length, 1);
});

test('a reader that goes away ends the command', async (context) => {
  const rig = createCliRig(context);
  const exec = rig.start({}, 'exec', '--yield', '2m', '--', 'yes');
  await exec.saw('y');
  exec.child.stdout?.destroy();
  assert.equal((await exec.result).code, 141);
  assert.deepEqual(await rig.live(), []);
});

test('--json is the result of the exec tool, whatever it is', async (context) => {
  const rig = createCliRig(context);
  const statuses: string[] = [];
  for (const args of [
    ['--', 'true'],
    ['--', 'no-such-program'],
    ['-b', '--', 'sleep', '600'],
    ['--ask', 'always', '--', 'true'],
    ['--security', 'deny', '--', 'true'],
  ]) {
    const { stdout } = await rig.clf('exec', '--json', ...args);
    statuses.push(execResultSchema.parse(JSON.parse(stdout)).status);
  }
  assert.deepEqual(statuses, ['completed', 'failed', 'running', 'approval-pending', 'denied']);
});

test('agents neither see what a person runs nor can type into it', async (context) => {
  const rig = createCliRig(context);
  const started = await rig.clf('exec', '-b', '--pty', '--', 'cat');
  const runId = started.stdout.trim();
  const { config } = callWith(mcpSpec, ['--state-dir', rig.stateDir]);
  const clock = createSystemClock();
  const random = createSystemRandom();
  await using agent = await openAgentTools({
    config,
    clock,
    random,
    log: silentLog,
    directory: '/',
    account: 'local',
  });
  const { signal } = new AbortController();
  const call = { signal, requester: 'mcp:test', account: 'local', sessionId: 'local' };
  const listed = await agent.tools.process({ action: 'list' }, call);
  assert.deepEqual('runs' in listed ? listed.runs : undefined, []);
  const typing = agent.tools.process({ action: 'send-keys', runId, keys: ['Enter'] }, call);
  await assert.rejects(typing, { code: 'unknown-run' });
});

test('the policy of the config file holds for a person too', async (context) => {
  const rig = createCliRig(context);
  const asked = { env: { CLAWDFATHER_POLICY_CLI_ASK: 'always' } };
  const held = await rig.clfWith(asked, 'exec', '--', 'true');
  assert.equal(held.code, 125);
  assert.match(held.stderr, /nothing has started: .*\n.*clf allow [0-9a-z]+ /);
  assert.deepEqual(await rig.live(), []);
});

test('a program on a terminal is driven by keys and pastes, and its screen is read', async (context) => {
  const rig = createCliRig(context);
  const script = 'stty -echo; printf "\\033[?2004hready\\n"; exec cat -v';
  const started = await rig.clf('run', '-d', '--pty', '--name', 'cat', '--', 'sh', '-c', script);
  assert.equal(started.code, 0, started.stderr);
  const log = rig.start({}, 'logs', '-f', 'cat');
  await log.saw('ready');
  const keys = await rig.clf(
    'send-keys',
    '--json',
    'cat',
    '-l',
    'typed',
    '-H',
    '21',
    'Up',
    'Enter',
  );
  assert.equal((JSON.parse(keys.stdout) as { bytes: number }).bytes, 10);
  await log.saw('typed!^[[A');
  const pasted = await rig.clf('paste', '--json', 'cat', 'one\u001b[201~two');
  assert.equal((JSON.parse(pasted.stdout) as { isBracketed: boolean }).isBracketed, true);
  await rig.clf('send-keys', 'cat', 'Enter');
  await log.saw('^[[200~one');
  const screen = await rig.clf('screen', 'cat');
  assert.match(screen.stdout, /^ready\ntyped!\^\[\[A\n\^\[\[200~one/);
  assert.match(screen.stderr, /^\[clf: run [0-9a-z]{12}, 120×30, cursor at row 4, column 1\]\n$/);
  await rig.clf('resize', 'cat', '60x9');
  const json = JSON.parse((await rig.clf('screen', '--json', 'cat')).stdout) as ScreenJson;
  assert.deepEqual([json.cols, json.rows, json.isAlternate], [60, 9, false]);
  assert.deepEqual([json.cursor.row, json.cursor.column], [3, 0]);
});

test('a paste from our input; Enter is a newline where there is no terminal', async (context) => {
  const rig = createCliRig(context);
  await rig.clf('run', '-d', '-i', '--name', 'cat', '--', 'cat');
  await rig.clfWith({ input: 'from a pipe' }, 'paste', 'cat');
  await rig.clf('send-keys', 'cat', 'Enter');
  await rig.start({}, 'logs', '-f', 'cat').saw('from a pipe\n');
});

test('mistakes: no such key, no terminal, a run that has ended', async (context) => {
  const rig = createCliRig(context);
  await rig.clf('run', '-d', '-i', '--name', 'cat', '--', 'cat');
  const key = await rig.clf('send-keys', 'cat', 'Entre');
  assert.match(key.stderr, /no key "Entre"[^]*Did you mean Enter\? Text is typed with -l/);
  assert.match((await rig.clf('screen', 'cat')).stderr, /has no terminal\n.*clf logs/);
  assert.match((await rig.clf('resize', 'cat', 'big')).stderr, /the size is not COLSxROWS: "big"/);
  await rig.clf('kill', 'cat');
  assert.match((await rig.clf('send-keys', 'cat', 'Enter')).stderr, /has ended \(cancelled\)/);
});
