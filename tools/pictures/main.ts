/*
 * `npm run pictures`: makes docs/pictures/top.svg, a picture of `clf top`.
 *
 * Stages: runs of some kinds are started in a state directory of their own; `clf top` looks at them in a terminal, which is
 * a run too; its output is drawn into a terminal without a window, and that terminal's cells become the picture.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { drawTerminal } from './draw-terminal.ts';
import { readCells } from './read-cells.ts';

const columns = 104;
const rows = 15;
/* Long enough for the load of a while to be shown. */
const watchedMs = 6_000;

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const command = pathOf('../../packages/cli/bin/clawdfather');

const home = mkdtempSync(join(tmpdir(), 'clf-pictures-'));
const env = { PATH: process.env['PATH'], HOME: home, LANG: 'C.UTF-8', TERM: 'xterm-256color' };

function clf(
  state: 'runs' | 'look',
  words: readonly string[],
  ran: readonly string[] = [],
): string {
  const [verb = '', ...rest] = words;
  const place = ['--state-dir', join(home, state)];
  const line = [verb, ...place, ...rest, ...(ran.length > 0 ? ['--', ...ran] : [])];
  return execFileSync(command, line, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'pipe'] });
}

function start(name: string, line: string, ...flags: readonly string[]): void {
  clf('runs', ['run', '--detach', '--name', name, ...flags], ['sh', '-c', line]);
}

try {
  start('dev-server', 'while echo GET / 200; do sleep 0.1; done');
  start('encode', 'while :; do :; done');
  start('watch', 'sleep 1000');
  start('tests', 'exit 1');
  start('docs', 'exit 0');
  start('backup', 'sleep 60', '--timeout', '2s');
  const top = [command, 'top', '--state-dir', join(home, 'runs')];
  clf('look', ['run', '--pty', '--detach', '--name', 'top'], top);
  clf('look', ['resize', 'top', `${columns}x${rows}`]);
  await sleep(watchedMs);
  const cells = await readCells(clf('look', ['logs', 'top']), { columns, rows });
  mkdirSync(pathOf('../../docs/pictures'), { recursive: true });
  writeFileSync(pathOf('../../docs/pictures/top.svg'), drawTerminal(cells, 'clf top'));
} finally {
  for (const state of ['look', 'runs'] as const) {
    const running = clf(state, ['ps', '--quiet']).split('\n').filter(Boolean);
    if (running.length > 0) clf(state, ['kill', ...running]);
  }
  rmSync(home, { recursive: true });
}
