/*
 * Real shells, as login shells of a host and as its /bin/sh, for tests that start what sshd would start: `$SHELL -c "<exec string>"`.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/* Name → program. busybox is what its link is called. */
const loginPrograms = {
  dash: '/usr/bin/dash',
  bash: '/usr/bin/bash',
  zsh: '/usr/bin/zsh',
  fish: '/usr/bin/fish',
  tcsh: '/usr/bin/tcsh',
  ash: '/usr/bin/busybox',
  mksh: '/usr/bin/mksh',
};

const shPrograms = {
  dash: '/usr/bin/dash',
  bash: '/usr/bin/bash',
  busybox: '/usr/bin/busybox',
  mksh: '/usr/bin/mksh',
  yash: '/usr/bin/yash',
  zsh: '/usr/bin/zsh',
};

export const loginShells = Object.keys(loginPrograms) as readonly (keyof typeof loginPrograms)[];
export const shNames = Object.keys(shPrograms) as readonly (keyof typeof shPrograms)[];

export type LoginShell = (typeof loginShells)[number];
export type ShName = (typeof shNames)[number];

/* For `skip`: false, or why not. */
export function shellSkip(name: LoginShell | ShName): string | false {
  const program = { ...loginPrograms, ...shPrograms }[name];
  return existsSync(program) ? false : `needs ${basename(program)}`;
}

export interface ShellEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ShellRun {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /* In front of everything: strace, for one. */
  readonly wrap?: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

export interface ShellHost extends Disposable {
  readonly home: string;
  /* The program that the login shell is started by. */
  readonly shellPath: string;
  /* As sshd starts a session, with a session of its own. */
  run(execString: string, options?: ShellRun): Promise<ShellEnd>;
}

/* A home directory, a login shell, and a PATH in which `sh` is the one that is wanted. */
export function openShellHost(login: LoginShell, sh: ShName = 'dash'): ShellHost {
  const home = mkdtempSync(join(tmpdir(), 'clf-shell-'));
  const bin = join(home, 'bin');
  mkdirSync(bin);
  symlinkSync(shPrograms[sh], join(bin, 'sh'));
  const shellPath = login === 'ash' ? join(bin, 'ash') : loginPrograms[login];
  if (login === 'ash') symlinkSync(loginPrograms.ash, shellPath);
  const run = (execString: string, options: ShellRun = {}): Promise<ShellEnd> => {
    const [program, ...args] = [...(options.wrap ?? []), shellPath, '-c', execString];
    const { uid, gid } = options;
    const child = spawn(program, args, {
      cwd: home,
      detached: true,
      env: { PATH: `${bin}:/usr/bin:/bin`, HOME: home, SHELL: shellPath, ...options.env },
      ...(uid === undefined ? {} : { uid }),
      ...(gid === undefined ? {} : { gid }),
    });
    const said = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
    // One that does not read its input has ended: its code says more.
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve({ code, signal, ...said }));
    });
  };
  return {
    home,
    shellPath,
    run,
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  };
}
