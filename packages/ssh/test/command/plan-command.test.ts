/*
 * Commands arrive on a host as they were meant, through every login shell: real shells, nasty strings, long lines, and what goes
 * wrong. What is not to be seen in a list of processes is looked for with strace.
 */
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { hasCode } from '@clawdfather/kit';
import fc from 'fast-check';
import { planCommand } from '../../src/command/plan-command.ts';
import type { CommandInput, PlannedCommand } from '../../src/command/plan-command.ts';
import { loginShells, openShellHost, shellSkip, shNames } from './shells.ts';
import type { ShellEnd, ShellHost } from './shells.ts';

const leaseId = '0123456789abcdefghjkmnpqrstvwxyz';
const nonce = 'nonce-1234567890';
const usual = { leaseId, nonce, isTerminal: false, graceMs: 1_000 };

function plan(input: Partial<CommandInput> & Pick<CommandInput, 'command'>): PlannedCommand {
  return planCommand({ ...usual, ...input });
}

function runPlan(host: ShellHost, planned: PlannedCommand, input = ''): Promise<ShellEnd> {
  return host.run(planned.execString, { input: (planned.stdinPayload ?? '') + input });
}

const nasty = [
  '',
  ' ',
  "'",
  '"',
  '\\',
  '\\\\',
  "\\'",
  '!',
  '!!',
  '!$',
  '\n',
  'a\nb\n\n',
  '\r\n',
  '\t',
  '$HOME',
  '$(id)',
  '`id`',
  '${x}',
  '%s',
  '%b',
  '%%',
  '\\n',
  '\\0101',
  '\\c',
  '*',
  '?',
  '[a]',
  '{a,b}',
  '~',
  '~root',
  '#',
  ';',
  '&',
  '&&',
  '|',
  '<',
  '>',
  '>&2',
  '(',
  ')',
  '()',
  '=',
  'A=b',
  '-',
  '--',
  '-e',
  '-n',
  '^',
  '^a^b',
  '@',
  'ü',
  '🦞',
  '\u0001\u007f',
  '\u001b[31m',
  '\ufeff',
  'end',
];

const nastyWord = fc.oneof(
  fc.constantFrom(...nasty),
  fc
    .string({ unit: 'binary', maxLength: 12 })
    .map((text) => text.replaceAll('\0', '').toWellFormed()),
  fc.array(fc.constantFrom(...nasty), { maxLength: 6 }).map((parts) => parts.join('')),
);

/* An argument vector of printf is printed with a NUL after each word, so nothing can hide in it. */
const printWords = ['printf', '%s\\0'];

const mildCharacters = ' #%&()*+,-./09:;<=>?@AZ[]^_az{|}~';

/* A shell that shows the line that it was given. */
function useShowingShell(host: ShellHost): string {
  const path = join(host.home, 'show');
  writeFileSync(path, '#!/bin/sh\nprintf "%s\\0" "$@"\n');
  chmodSync(path, 0o755);
  return path;
}

for (const login of loginShells) {
  describe(`with ${login} as login shell`, { skip: shellSkip(login) }, () => {
    test('every word arrives as it is, in both forms', async () => {
      using host = openShellHost(login);
      for (const environment of [undefined, { ADDED: 'x' }]) {
        const all = await runPlan(
          host,
          plan({ command: { argv: [...printWords, ...nasty] }, environment }),
        );
        assert.equal(all.stdout, `${nasty.join('\0')}\0`);
        await fc.assert(
          fc.asyncProperty(fc.array(nastyWord, { minLength: 1, maxLength: 20 }), async (words) => {
            const argv = [...printWords, ...words];
            const end = await runPlan(host, plan({ command: { argv }, environment }));
            assert.equal(end.stdout, `${words.join('\0')}\0`);
            assert.equal(end.code, 0);
          }),
          { numRuns: 15 },
        );
      }
    });

    test('words that mean the same to all shells arrive as they are, without an encoding', async () => {
      using host = openShellHost(login);
      const show = useShowingShell(host);
      const mild = fc.string({ unit: fc.constantFrom(...mildCharacters.split('')), maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(fc.array(mild, { minLength: 1, maxLength: 20 }), async (words) => {
          const planned = plan({ command: { argv: [show, ...words] } });
          assert.doesNotMatch(planned.execString, /printf %bx/);
          const end = await runPlan(host, planned);
          assert.equal(end.stdout, `${words.join('\0')}\0`);
        }),
        { numRuns: 15 },
      );
    });

    test('every line arrives as it is, up to 125,000 bytes', async () => {
      using host = openShellHost(login);
      const env = { SHELL: useShowingShell(host) };
      const long = [
        'x'.repeat(125_000),
        `${'it is '.repeat(10)}it's `.repeat(1_900),
        'ü\n'.repeat(5_000),
        `${'y'.repeat(60_000)}'\n\\!`.repeat(2),
      ];
      for (const line of [...long, ...nasty.filter((text) => text !== '')]) {
        const planned = plan({ command: { line } });
        const end = await host.run(planned.execString, { env, input: planned.stdinPayload ?? '' });
        assert.equal(end.stdout, `-c\0${line}\0`, line.slice(0, 20));
      }
    });

    test('the environment arrives as it is, and the lease cannot be changed by it', async () => {
      using host = openShellHost(login);
      const environment = Object.fromEntries(nasty.map((value, at) => [`ADDED_${at}`, value]));
      const other = {
        ...environment,
        CLAWDFATHER_LEASE_ID: 'another',
        IFS: 'a',
        SHELL: '/bin/false',
        p: 'q',
      };
      const planned = plan({ command: { argv: ['env', '-0'] }, environment: other });
      const end = await runPlan(host, planned);
      const seen = new Map(end.stdout.split('\0').map((entry) => splitEntry(entry)));
      for (const [name, value] of Object.entries(environment))
        assert.equal(seen.get(name), value, name);
      assert.equal(seen.get('CLAWDFATHER_LEASE_ID'), leaseId);
      assert.equal(seen.get('SHELL'), '/bin/false');
    });

    test('a line runs in the login shell, with its exit code and its input', async () => {
      using host = openShellHost(login);
      for (const environment of [undefined, { ADDED: 'x' }]) {
        for (const code of [0, 1, 7, 126, 127, 200, 255]) {
          const end = await runPlan(
            host,
            plan({ command: { line: `cat; exit ${code}` }, environment }),
            'in\n',
          );
          assert.deepEqual([end.code, end.stdout], [code, 'in\n']);
        }
        const killed = await runPlan(
          host,
          plan({ command: { line: 'kill -9 $$; sleep 9' }, environment }),
        );
        if (login !== 'fish') assert.equal(killed.signal, 'SIGKILL');
      }
    });

    test('a missing directory is 252, a missing program 127, in both forms', async () => {
      using host = openShellHost(login);
      for (const environment of [undefined, { ADDED: 'x' }]) {
        const command = { argv: ['touch', join(host.home, 'ran')] };
        const nowhere = await runPlan(host, plan({ command, directory: '/no/such', environment }));
        assert.equal(nowhere.code, 252);
        assert.ok(!existsSync(join(host.home, 'ran')), 'nothing ran');
        const absent = plan({ command: { argv: ['no-such-program-here'] }, environment });
        assert.equal((await runPlan(host, absent)).code, 127);
      }
    });
  });
}

function splitEntry(entry: string): [string, string] {
  const at = entry.indexOf('=');
  return [entry.slice(0, at), entry.slice(at + 1)];
}

test('the directory is taken as it stands, or from the home directory', async () => {
  using host = openShellHost('dash');
  const names = ['-', '-P', "it's a dir\nwith lines", '$HOME', '~', 'ü!'];
  for (const name of names) mkdirSync(join(host.home, name));
  mkdirSync(join(host.home, 'elsewhere'));
  const where = async (directory: string, env: Record<string, string> = {}): Promise<string> => {
    const planned = plan({ command: { argv: ['pwd'] }, directory });
    return (await host.run(planned.execString, { env })).stdout.slice(0, -1);
  };
  for (const name of names) {
    assert.equal(await where(join(host.home, name)), join(host.home, name));
    if (name !== '~') assert.equal(await where(name), join(host.home, name));
    assert.equal(await where(`~/${name}`), join(host.home, name));
  }
  assert.equal(await where('~'), host.home);
  assert.equal(await where('.', { CDPATH: join(host.home, 'elsewhere') }), host.home);
});

for (const sh of shNames) {
  test(`with ${sh} as sh: words, environment, header`, { skip: shellSkip(sh) }, async () => {
    using host = openShellHost('bash', sh);
    // Without a locale yash has no words but ASCII ones.
    const env: Record<string, string> = sh === 'yash' ? { LC_ALL: 'C.UTF-8' } : {};
    const run = ({ execString, stdinPayload = '' }: PlannedCommand): Promise<ShellEnd> =>
      host.run(execString, { input: stdinPayload, env });
    for (const environment of [undefined, { ADDED: nasty.join('') }]) {
      const argv = [...printWords, ...nasty];
      const end = await run(plan({ command: { argv }, environment }));
      assert.equal(end.stdout, `${nasty.join('\0')}\0`);
      assert.ok(end.stderr.startsWith('\u001e'));
      assert.match(end.stderr.slice(1), /^CLF1 nonce-1234567890 \d+ \d+ [0-9a-f-]{36}\n$/);
    }
    const planned = plan({
      command: { argv: ['printenv', 'ADDED'] },
      environment: { ADDED: nasty.join('') },
    });
    assert.equal((await run(planned)).stdout, `${nasty.join('')}\n`);
  });

  test(`with ${sh} as sh: no value of the environment is in an argument, at any time`, {
    skip: shellSkip(sh) || (existsSync('/usr/bin/strace') ? false : 'needs strace'),
  }, async () => {
    using host = openShellHost('bash', sh);
    const canary = 'canary-7f3a9c';
    const environment = { ADDED: `${canary}\n${canary}` };
    const traced = join(host.home, 'trace');
    const wrap = ['strace', '-f', '-qq', '-s', '100000', '-e', 'trace=execve', '-o', traced];
    const withTerminal = plan({
      command: { argv: ['printenv', 'ADDED'] },
      environment,
      isTerminal: true,
    });
    const plain = plan({ command: { argv: ['printenv', 'ADDED'] }, environment });
    for (const { execString, stdinPayload = '' } of [
      plain,
      withTerminal.stage ?? assert.fail(),
      withTerminal,
    ]) {
      const end = await host.run(execString, {
        wrap,
        input: stdinPayload,
        env: { XDG_RUNTIME_DIR: host.home },
      });
      assert.equal(end.code, 0, end.stderr);
      const trace = readFileSync(traced, 'utf8');
      assert.match(trace, /execve/);
      assert.ok(!trace.includes(canary));
      if (execString !== withTerminal.stage?.execString)
        assert.equal(end.stdout, `${canary}\n${canary}\n`);
    }
    assert.ok(
      !readdirSync(host.home).some((name) => name.startsWith('clf-env')),
      'no file is left',
    );
  });
}

test('the pid of the header is that of the command', async () => {
  using host = openShellHost('bash');
  const end = await runPlan(
    host,
    plan({ command: { argv: ['sh', '-c', 'echo $$; cut -d" " -f22 /proc/$$/stat'] } }),
  );
  const [pid, ticks] = end.stdout.split('\n');
  assert.match(end.stderr, new RegExp(`^\u001eCLF1 ${nonce} ${pid} ${ticks} `));
});

test('start files that talk come before the header, and harm nothing', async () => {
  using host = openShellHost('zsh');
  writeFileSync(join(host.home, '.zshenv'), 'echo noise; echo more noise >&2\n');
  const end = await runPlan(host, plan({ command: { argv: ['echo', 'said'] } }));
  assert.equal(end.stdout, 'noise\nsaid\n');
  assert.ok(end.stderr.startsWith('more noise\n\u001eCLF1 '));
});

test('an end of input instead of the script starts nothing', async () => {
  using host = openShellHost('bash');
  const planned = plan({
    command: { argv: ['touch', join(host.home, 'ran')] },
    environment: { A: 'b' },
  });
  const payload = planned.stdinPayload ?? assert.fail();
  for (const length of [0, 1, Math.floor(payload.length / 2), payload.length - 1]) {
    const end = await host.run(planned.execString, { input: payload.slice(0, length) });
    assert.equal(end.code, 254);
  }
  assert.ok(!existsSync(join(host.home, 'ran')));
});

test('a terminal has its environment from a file that is gone, or does not start', async () => {
  using host = openShellHost('bash');
  const env = { XDG_RUNTIME_DIR: host.home };
  const planned = plan({
    command: { argv: ['printenv', 'A'] },
    environment: { A: "b'\nc" },
    isTerminal: true,
  });
  const { stage } = planned;
  assert.ok(stage);
  assert.equal(planned.nonce, undefined);
  assert.equal((await host.run(planned.execString, { env })).code, 254, 'without the file');
  const cut = stage.stdinPayload.slice(0, -3);
  assert.equal((await host.run(stage.execString, { env, input: cut })).code, 0);
  assert.equal((await host.run(planned.execString, { env })).code, 254, 'with half of it');
  assert.equal((await host.run(stage.execString, { env, input: stage.stdinPayload })).code, 0);
  assert.notEqual(
    (await host.run(stage.execString, { env, input: 'x' })).code,
    0,
    'it is made once',
  );
  const end = await host.run(planned.execString, { env });
  assert.deepEqual([end.code, end.stdout, end.stderr], [0, "b'\nc\n", '']);
});

test('what cannot be sent is refused with a code', () => {
  const refused = (
    input: Partial<CommandInput> & Pick<CommandInput, 'command'>,
    code: string,
  ): void =>
    assert.throws(
      () => plan(input),
      (error) => hasCode(error, code),
      code,
    );
  const fine = { argv: ['true'] };
  refused({ command: { line: 'a\0b' } }, 'command-unquotable');
  refused({ command: { argv: ['a', '\0'] } }, 'command-unquotable');
  refused({ command: { argv: [] } }, 'command-unquotable');
  refused({ command: { argv: ['-a'] } }, 'command-unquotable');
  refused({ command: fine, directory: 'a\0' }, 'command-unquotable');
  refused({ command: fine, directory: '' }, 'command-unquotable');
  refused({ command: fine, environment: { A: '\0' } }, 'command-unquotable');
  for (const name of ['', '1A', 'A-B', 'A=B', 'A B', 'A\n', 'ü', 'clf_n', '$(id)'])
    refused({ command: fine, environment: { [name]: 'x' } }, 'command-unquotable');
  refused({ command: { line: 'x'.repeat(131_072) } }, 'command-too-long');
  refused({ command: { line: "'".repeat(100_000) } }, 'command-too-long');
  refused({ command: { line: 'x'.repeat(131_000) }, isTerminal: true }, 'command-too-long');
  refused({ command: fine, environment: { A: 'x'.repeat(131_000) } }, 'command-too-long');
});

test('ids that we make ourselves are checked all the same', () => {
  for (const bad of ['', 'short', "a'; id; '".padEnd(20, 'x'), 'A'.repeat(32), `${leaseId}\n`])
    assert.throws(() => plan({ command: { argv: ['true'] }, leaseId: bad }), TypeError, bad);
  for (const bad of ['', 'short', 'has blank ', '$(id)-----'])
    assert.throws(() => plan({ command: { argv: ['true'] }, nonce: bad }), TypeError, bad);
});
