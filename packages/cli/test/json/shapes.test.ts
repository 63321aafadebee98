/*
 * docs/cli-json.md, the schemas of protocol, and what real commands print: all three agree.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CliShape, cliShapes } from '@clawdfather/protocol';
import { openApprovals } from '@clawdfather/supervisor';
import { approvalJson } from '../../src/approvals/approval-json.ts';
import { commands } from '../../src/commands/table.ts';
import { createCliRig } from '../support/cli-process.ts';
import { createGatewayRig } from '../support/gateway-rig.ts';
import { rowsOf } from './shape-rows.ts';

const page = readFileSync(new URL('../../../../docs/cli-json.md', import.meta.url), 'utf8');
const names = Object.keys(cliShapes) as CliShape[];

/* Without the blanks that a formatter puts in. */
const cellsOf = (row: string): string =>
  row
    .split('|')
    .map((cell) => cell.trim())
    .join('|');

/* Of each command, the shapes that the page links in its row. */
function shapesOf(command: string): CliShape[] {
  const row = page.split('\n').find((line) => line.startsWith(`| \`${command}\``)) ?? '';
  return [...row.matchAll(/\(#([a-z-]+)\)/g)].map((match) => match[1] as CliShape);
}

test('every shape has its section, field by field', () => {
  for (const name of names) {
    const begin = page.indexOf(`### ${name}\n`);
    assert.notEqual(begin, -1, name);
    const next = page.indexOf('\n### ', begin);
    const section = page.slice(begin, next === -1 ? undefined : next);
    const rows = section.split('\n').filter((line) => line.startsWith('|'));
    assert.deepEqual(rows.slice(2).map(cellsOf), rowsOf(name).map(cellsOf), name);
  }
  const sections = [...page.matchAll(/^### (.+)$/gm)].map((match) => match[1]);
  assert.deepEqual(sections, names);
});

test('every command is on the page, and every shape is printed by one', () => {
  for (const { spec } of commands) assert.match(page, new RegExp(`\`${spec.name}\\b`), spec.name);
  const linked = new Set([...page.matchAll(/\(#([a-z-]+)\)/g)].map((match) => match[1]));
  for (const name of names) assert.ok(linked.has(name), name);
});

/* Each line is of one of the shapes that the page links for the command, and has nothing beyond it. */
function checkLines(command: string, text: string): void {
  const lines = text.split('\n').filter(Boolean);
  assert.ok(lines.length > 0, `${command} printed nothing`);
  for (const line of lines) {
    const json: unknown = JSON.parse(line);
    const isOne = shapesOf(command).some((name) => {
      const parsed = cliShapes[name].safeParse(json);
      // What the schema does not know is not in what it brings back.
      return parsed.success && isSame(parsed.data, json);
    });
    assert.ok(isOne, `${command} printed ${line}`);
  }
}

test('what commands print is of their shapes, and has no field that is not told', async (context) => {
  const rig = createCliRig(context);
  const check = async (...args: string[]): Promise<void> => {
    const [first = '', ...rest] = args;
    const name = first === 'config' ? args.slice(0, 2).join(' ') : first;
    checkLines(name, (await rig.clf(...first.split(' '), ...rest, '--json')).stdout);
  };
  const run = async (...args: string[]): Promise<void> =>
    checkLines('run', (await rig.clf('run', '--json', ...args)).stdout);

  await run('--', 'sh', '-c', 'echo out; echo err >&2; sleep 600 & exit 3');
  await run('--timeout', '50ms', '--', 'sleep', '600');
  await run('-d', '--pty', '--name', 'cat', '-l', 'a=b', '--', 'cat');
  await run('-d', '-i', '--name', 'pipes', '--', 'cat');
  await run('-d', '--name', 'gone', '--', 'no-such-program').catch(() => {});
  await check('ps', '-a');
  await check('show', 'cat');
  await check('top', '--once');
  await check('send-keys', 'cat', 'x', 'Enter');
  await check('paste', 'cat', 'text');
  await check('input', 'pipes', 'text');
  await check('resize', 'cat', '70x20');
  await check('screen', 'cat');
  await check('logs', '--cursor', 'cat');
  await check('wait', '--timeout', '10ms', 'cat');
  await check('kill', '-s', 'CONT', 'cat');
  await check('kill', 'cat', 'pipes', 'no-such-run');
  await check('wait', 'cat', 'gone');
  await check('rm', 'cat', 'no-such-run');
  await check('gc', '--keep', '0', '--dry-run');
  for (const key of ['show', 'path', 'check']) await check('config', key);
  for (const command of ['doctor', 'version', 'help']) await check(command);
  const asked = await rig.clf('exec', '--json', '--ask', 'always', '--', 'true');
  checkLines('exec', asked.stdout);
  await check('approvals');
  await addRule(rig.stateDir);
  await check('rules ls', '-a');
  const error = await rig.clf('logs', '--json', 'no-such-run');
  const told: unknown = JSON.parse(error.stderr);
  assert.deepEqual(cliShapes.error.parse(told), told);
});

test('what commands around a gateway print is of their shapes, too', {
  timeout: 60_000,
}, async (context) => {
  const rig = createGatewayRig(context);
  const check = async (command: string, ...args: string[]): Promise<string> => {
    const { stdout } = await rig.clf(...command.split(' '), ...args, '--json');
    checkLines(command, stdout);
    return stdout;
  };
  await check('status');
  const gateway = await rig.serve();
  checkLines('serve', gateway.stdout());
  await check('status', '--wait', '20s');
  await check('login', '--link');
  await check('login');
  const at = ['-g', gateway.url];
  const run = async (...args: string[]): Promise<void> =>
    checkLines('run', (await rig.clf('run', ...at, '--json', ...args)).stdout);
  await run('-d', '--pty', '--name', 'cat', '-l', 'a=b', '--', 'sh', '-c', 'cat; exit 3');
  await run('--', 'sh', '-c', 'echo out; echo err >&2; sleep 600 & exit 3');
  await check('ps', ...at, '-a');
  await check('show', ...at, 'cat');
  await check('input', ...at, 'cat', 'text\n');
  await check('send-keys', ...at, 'cat', 'x', 'Enter');
  await check('paste', ...at, 'cat', 'text');
  await check('resize', ...at, 'cat', '70x20');
  await check('screen', ...at, 'cat');
  await check('wait', ...at, '--timeout', '10ms', 'cat');
  await check('kill', ...at, '-s', 'CONT', 'cat');
  await check('kill', ...at, 'cat', 'no-such-run');
  await check('logs', ...at, '--cursor', 'cat');
  await check('wait', ...at, 'cat');
  await check('show', ...at, 'cat');
  await check('rm', ...at, 'cat', 'no-such-run');
  await check('token create', 'ci');
  await check('token ls');
  await check('token revoke', 'ci');
  await check('devices ls');
  await check('audit');
  await check('inbox');
  await check('devices revoke', '--others');
  const path = join(rig.env['HOME'] ?? '', 'backup');
  await check('backup', path);
  await check('restore', '--check', path);
  await check('logout');
  await check('stop');
  await check('restore', path);
});

/* As a person has left it. */
async function addRule(stateDir: string): Promise<void> {
  const store = await openApprovals({ stateDir });
  await store.write((tx) =>
    tx.insertAllowRule({
      ruleId: '0123456789abcdef',
      account: 'local',
      namedPath: '/usr/bin/make',
      realPath: '/usr/bin/make',
      approvalId: 'a',
      addedBy: 'cli:ann',
      addedAtMs: 1,
    }),
  );
  await store.write((tx) => tx.revokeRule('0123456789abcdef', 'cli:bob', 2));
  await store.close();
}

/* Only a person outside of any run decides, and a test may be in one: what `allow` and `deny` print is made here. */
test('an approval is of its shape, decided or not', () => {
  const action = { cwd: '/', envAdditions: { A: 'b' }, host: 'local', account: 'cli' };
  const command = { kind: 'line', shell: '/bin/sh', line: 'rm x' } as const;
  const common = {
    command,
    cwd: '/',
    host: 'local',
    account: 'cli',
    labels: {},
    approvalId: 'a',
    runId: 'r',
    actionHash: 'h',
    request: '{}',
    requester: 'cli:1',
    why: 'rm is not on the allowlist',
    createdAtMs: 1,
    expiresAtMs: 2,
    changed: undefined,
    askedAgainAs: undefined,
  };
  const directory = { device: '1', inode: '2' };
  const files = [{ path: '/x', bytes: 3, sha256: 'aa' }];
  const unbound = [{ path: '/y', why: 'it is larger than 1 MiB' }];
  const pending = approvalJson(
    {
      ...common,
      state: 'pending',
      action: { ...action, command },
      droppedBytes: undefined,
      binding: { directory, files, unbound, more: 1 },
      decision: undefined,
      decidedBy: undefined,
      decidedAtMs: undefined,
      reason: undefined,
    },
    null,
  );
  assert.deepEqual(cliShapes.approval.parse(pending), pending);
  const allowed = approvalJson(
    {
      ...common,
      state: 'started',
      action: { ...action, command: { kind: 'argv', argv: ['rm', 'x'] } },
      droppedBytes: 900,
      binding: undefined,
      decision: 'allow-always',
      decidedBy: 'a person',
      decidedAtMs: 3,
      reason: 'why not',
    },
    '/state',
  );
  const told = { ...allowed, rules: ['/usr/bin/rm'] };
  assert.deepEqual(cliShapes.allowed.parse(told), told);
});

function isSame(left: unknown, right: unknown): boolean {
  try {
    assert.deepStrictEqual(left, right);
    return true;
  } catch {
    return false;
  }
}
