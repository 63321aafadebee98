/*
 * A directory in which every program only writes down that it ran. PATH leads nowhere else, so a random line can do no
 * harm, and what it ran is known.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const allowedPrograms = ['ls', 'cat', 'wc', 'head'] as const;
/* Never on the list; `time`, `[[`, `select`, `function` and `f` are words of one shell and programs to another. */
export const otherPrograms = ['rm', 'evil'] as const;
const oddPrograms = [
  'time',
  '[[',
  'select',
  'function',
  'coproc',
  'f',
  'a',
  'x+=1',
  'x[1]=2',
  '{a,b}',
  'source',
  'let',
] as const;

export interface ShellJail {
  readonly searchPath: string;
  readonly cwd: string;
  /* The programs that ran, in no particular order, and what was left in the directory. */
  run(
    shell: string,
    line: string,
  ): { readonly ran: readonly string[]; readonly files: readonly string[] };
  remove(): void;
}

/* Random lines may wait for one another; nothing that is waited for this long tells anything more. */
const lineTimeoutMs = 10_000;

export function createShellJail(): ShellJail {
  const root = mkdtempSync(join(tmpdir(), 'clawdfather-jail-'));
  const bin = join(root, 'bin');
  const log = join(root, 'log');
  const cwd = join(root, 'cwd');
  mkdirSync(bin);
  for (const name of [...allowedPrograms, ...otherPrograms, ...oddPrograms]) {
    const file = join(bin, name);
    // One short write in append mode is whole, also when programs of a pipe write at once.
    writeFileSync(file, `#!/bin/sh\necho '${name}' >>'${log}'\necho a\n`);
    chmodSync(file, 0o755);
  }
  return {
    searchPath: bin,
    cwd,
    run: (shell, line) => {
      rmSync(cwd, { recursive: true, force: true });
      mkdirSync(cwd);
      writeFileSync(log, '');
      writeFileSync(join(cwd, 'f'), 'a\n');
      // Background commands hold the output open, so its end is theirs too.
      spawnSync(shell, ['-c', line], {
        cwd,
        env: { PATH: bin },
        input: '',
        timeout: lineTimeoutMs,
        killSignal: 'SIGKILL',
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      const ran = readFileSync(log, 'utf8')
        .split('\n')
        .filter((name) => name !== '');
      const files = readdirSync(cwd).filter(
        (name) => name !== 'f' || readFileSync(join(cwd, 'f'), 'utf8') !== 'a\n',
      );
      return { ran: [...new Set(ran)], files };
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
