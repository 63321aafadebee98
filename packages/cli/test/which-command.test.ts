/*
 * Which command is meant: flags before it, words that are no commands, and what is never proposed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock, createSeededRandom } from '@clawdfather/testkit';
import { commands } from '../src/commands/table.ts';
import { runCli } from '../src/cli.ts';
import { readCaller } from '../src/config.ts';
import { whichCommand } from '../src/which-command.ts';
import { createFakeIo } from './support/fake-io.ts';

async function call(...argv: string[]) {
  const io = createFakeIo();
  const caller = readCaller({ argv, env: { HOME: '/h' }, cwd: '/', pid: 1, umask: 0o022 });
  const deps = { caller, io, clock: createFakeClock(), random: createSeededRandom(1) };
  return { status: await runCli(deps), out: io.out(), err: io.err() };
}

test('flags of a command may stand before it, with or without a value', () => {
  const rows = [
    [['-g', 'home', 'ps'], 'ps', ['-g', 'home']],
    [['-ghome', 'ps'], 'ps', ['-ghome']],
    [['--gateway=home', '-a', 'ps', '-q'], 'ps', ['--gateway=home', '-a', '-q']],
    [['--json', '-g', 'home', 'token', 'ls'], 'token ls', ['--json', '-g', 'home']],
    // -f takes a value of ps, and none of logs.
    [['-f', 'state=ok', 'ps'], 'ps', ['-f', 'state=ok']],
    [['-f', 'logs', 'web'], 'logs', ['-f', 'web']],
    [['ps', '-a'], 'ps', ['-a']],
  ] as const;
  for (const [argv, name, rest] of rows) assert.deepEqual(whichCommand(argv), { name, rest });
});

test('a flag that no command fits is told as that, with the way to write it', async () => {
  const server = await call('--server', 'X', 'ps');
  assert.deepEqual(server.status, { kind: 'code', code: 125 });
  assert.match(
    server.err,
    /^clf: ps has no flag --server\n {2}To name a gateway: clf ps -g NAME\|URL\./,
  );
  assert.match(
    (await call('--host', 'X', 'approvals')).err,
    /^clf: approvals has no flag --host\n {2}To name a gateway: clf approvals -g NAME\|URL\./,
  );
  assert.match(
    (await call('--foo')).err,
    /^clf: clf has no flag --foo\n {2}Write: clf COMMAND \[flags\]\./,
  );
  assert.match(
    (await call('--foo', 'ps')).err,
    /^clf: ps has no flag --foo\n {2}See: clf ps --help\./,
  );
  assert.match((await call('--limt', '3', 'ps')).err, /Did you mean --limit\?/);
  assert.match((await call('-g', 'home')).err, /^clf: -g needs a command\n/);
  // Nothing is guessed: the words are not put into another order.
  assert.match((await call('-f', 'web', 'rm')).err, /^clf: -f before "rm" is not understood\n/);
});

test('-v is the version', async () => {
  assert.equal((await call('-v')).out, (await call('version')).out);
});

test('a command that destroys something is never proposed for another word', async () => {
  const destructive = commands.flatMap(({ spec }) =>
    spec.isDestructive === true ? [spec.name] : [],
  );
  assert.deepEqual(destructive.toSorted(), [
    'agents rm',
    'devices revoke',
    'gc',
    'host rm',
    'key revoke',
    'key rotate',
    'key rotate-master',
    'kill',
    'logout',
    'queue cancel',
    'restore',
    'rm',
    'service uninstall',
    'session close',
    'stop',
    'threads archive',
    'threads cancel',
    'token revoke',
  ]);
  for (const name of destructive) {
    for (const typed of [`${name}x`, name.slice(0, -1), `${name.slice(0, -1)}q`]) {
      const { err } = await call(...typed.split(' '));
      assert.match(err, /^clf: there is no command /);
      const proposed = /Did you mean clf ([a-z -]+)\?/.exec(err)?.[1];
      assert.ok(!destructive.includes(proposed ?? ''), err);
    }
  }
  assert.match((await call('token', 'revok')).err, /See: clf token --help\./);
  assert.match((await call('shwo')).err, /Did you mean clf show\?/);
  assert.match((await call('threads', 'shwo')).err, /Did you mean clf threads show\?/);
  assert.match((await call('threads', 'foo')).err, /See: clf threads --help\./);
});

test('a word of another program is answered with what to write here', async () => {
  const rows = [
    [['restart', 'web'], /clf run -d --replace --name web -- COMMAND/],
    [['start', '-g', 'home', 'web'], /clf run -d --name web -- COMMAND/],
    [['env', 'web'], /clf run -e NAME=VALUE -- COMMAND/],
    [['tail', '-f', 'web'], /clf logs -f --tail 10 web/],
    [['inspect', 'web'], /clf show web/],
    [['send', 'web', 'x'], /clf send-keys web -l/],
    [['stats'], /clf top/],
    [['inspect'], /clf show RUN/],
  ] as const;
  for (const [argv, answer] of rows) {
    const { status, err } = await call(...argv);
    assert.deepEqual(status, { kind: 'code', code: 125 });
    assert.match(err, new RegExp(`^clf: there is no command "${argv[0]}"\\n`));
    assert.match(err, answer);
  }
});

test('other names of a command are in its help, in the list and in its completion', async () => {
  assert.equal((await call('help', 'ls')).out, (await call('ps', '--help')).out);
  assert.match((await call('log', '--help')).out, /^Also: clf log$/m);
  assert.match((await call('help')).out, /^ {2}ps .*\(also: ls, list\)$/m);
});
