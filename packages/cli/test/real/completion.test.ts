/*
 * Real shells with our completion: words are typed on a terminal, Tab is pressed, and
 * the screen is read.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type CliRig, createCliRig } from '../support/cli-process.ts';
import { createTerminalRig, type TestTerminal } from '../support/terminal-rig.ts';

const binPath = fileURLToPath(new URL('../../bin/clawdfather', import.meta.url));

/* False, and the test says why, where a shell is not installed. */
function isHere(context: TestContext, shell: string): boolean {
  const found = spawnSync(shell, ['--version']).status === 0;
  if (!found) context.skip(`${shell} is not installed here`);
  return found;
}

/* A living run, and a directory with `clf` on the path. */
async function prepare(context: TestContext, rig: CliRig): Promise<string> {
  const started = await rig.clf('run', '-d', '--name', 'webserver', '--', 'sleep', '600');
  assert.equal(started.code, 0, started.stderr);
  const directory = mkdtempSync(join(tmpdir(), 'clf-completion-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  for (const name of ['clf', 'clawdfather']) {
    writeFileSync(join(directory, name), `#!/bin/sh\nexec ${binPath} "$@"\n`, { mode: 0o755 });
  }
  mkdirSync(join(directory, 'only-directory'));
  rig.env['PATH'] = `${directory}:${rig.env['PATH'] ?? ''}`;
  return directory;
}

interface Shell {
  readonly terminal: TestTerminal;
  readonly directory: string;
  /* Types the beginning and Tab; resolves when the line reads so. The line is given up then. */
  completes(typed: string, wanted: string): Promise<void>;
  /* Types the beginning and Tab twice; resolves when all are listed. */
  lists(typed: string, wanted: readonly string[]): Promise<void>;
}

async function openShell(
  context: TestContext,
  argv: readonly [string, ...string[]],
): Promise<Shell> {
  const rig = createCliRig(context);
  const directory = await prepare(context, rig);
  const terminals = await createTerminalRig(context, { ...rig.env, PS1: '@ ' });
  const terminal = await terminals.openProgram(argv, { cols: 100, rows: 40 });
  await terminal.shows(/@$/);
  const load = `source <(clf completion ${argv[0]})`;
  await terminal.type(`${load}; cd ${directory}; clear; echo ready\r`);
  await terminal.shows(/^ready\n@$/m);
  let count = 0;
  /* Ctrl-U, and a mark after which the screen is new. */
  const giveUp = async (): Promise<void> => {
    count += 1;
    await terminal.type(`\u0015clear; echo mark-${count}\r`);
    await terminal.shows(new RegExp(`^mark-${count}\\n@$`, 'm'));
  };
  const escaped = (text: string): string => text.replace(/[[\]\\.*+?^$(){}|]/g, String.raw`\$&`);
  return {
    terminal,
    directory,
    completes: async (typed, wanted) => {
      await terminal.type(`${typed}\t`);
      await terminal.shows(new RegExp(`^@ ${escaped(wanted)}/?$`, 'm'));
      await giveUp();
    },
    lists: async (typed, wanted) => {
      await terminal.type(`${typed}\t\t`);
      for (const word of wanted) await terminal.shows(new RegExp(escaped(word)));
      await giveUp();
    },
  };
}

test('bash: commands, flags, values, runs, files and other programs', async (context) => {
  if (!isHere(context, 'bash')) return;
  const shell = await openShell(context, ['bash', '--norc', '--noprofile', '-i']);
  await shell.completes('clf atta', 'clf attach');
  await shell.completes('clf logs --fol', 'clf logs --follow');
  await shell.completes('clf run --leftovers=k', 'clf run --leftovers=keep');
  await shell.completes('clf run --leftovers f', 'clf run --leftovers fail');
  await shell.completes('clf ps --filter state=ru', 'clf ps --filter state=running');
  await shell.completes('clf attach web', 'clf attach webserver');
  await shell.completes('clawdfather kill web', 'clawdfather kill webserver');
  await shell.completes('clf run -C only', 'clf run -C only-directory');
  await shell.completes('clf run -- mkfif', 'clf run -- mkfifo');
  await shell.completes('clf run -- ls only', 'clf run -- ls only-directory');
  await shell.lists('clf co', ['completion', 'config']);
});

test('zsh: the same, with what each word means', async (context) => {
  if (!isHere(context, 'zsh')) return;
  const shell = await openShell(context, ['zsh', '-f', '-i']);
  await shell.completes('clf atta', 'clf attach');
  await shell.completes('clf logs --fol', 'clf logs --follow');
  await shell.completes('clf run --leftovers=k', 'clf run --leftovers=keep');
  await shell.completes('clf attach web', 'clf attach webserver');
  await shell.completes('clf run -C only', 'clf run -C only-directory');
  await shell.completes('clf run -- mkfif', 'clf run -- mkfifo');
  await shell.completes('clf run -- ls only', 'clf run -- ls only-directory');
  await shell.lists('clf co', ['completion', 'Show each setting and where it comes from']);
});

test('fish: the same, asked without a terminal', async (context) => {
  if (!isHere(context, 'fish')) return;
  const rig = createCliRig(context);
  const directory = await prepare(context, rig);
  const script = join(directory, 'clf.fish');
  writeFileSync(script, (await rig.clf('completion', 'fish')).stdout);
  const ask = (line: string): string[] =>
    execFileSync('fish', ['--no-config', '-c', `source ${script}; complete -C '${line}'`], {
      cwd: directory,
      env: { ...rig.env, HOME: directory },
      encoding: 'utf8',
    })
      .split('\n')
      .filter(Boolean);
  assert.deepEqual(ask('clf atta'), [
    'attach\tConnect this terminal to a run; Ctrl-] Ctrl-] detaches',
  ]);
  assert.deepEqual(ask('clf logs --fol'), ['--follow\tgo on with new output until the run ends']);
  assert.deepEqual(ask('clf run --leftovers '), ['keep', 'end', 'fail']);
  assert.deepEqual(ask('clf run --leftovers=k'), ['--leftovers=keep']);
  assert.deepEqual(ask('clf attach web'), ['webserver\tsleep 600']);
  assert.deepEqual(ask('clawdfather kill web'), ['webserver\tsleep 600']);
  assert.deepEqual(ask('clf run -C only'), ['only-directory/\tDirectory']);
  assert.ok(ask('clf run -- mkfif').some((line) => line.startsWith('mkfifo')));
  assert.ok(ask('clf run -- ls only').some((line) => line.startsWith('only-directory/')));
});
