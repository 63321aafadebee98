/*
 * Programs of Debian's packages: which are there, and installing what is not, where we may.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, globSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export function mayInstall(): boolean {
  return process.getuid?.() === 0 && isInstalled('apt-get');
}

/* What builds a static shim for a kind of machine, in Node's words: the command, and the package it comes in. */
export function compilerFor(arch: string): readonly [string, string] {
  if (arch === process.arch) return ['musl-gcc', 'musl-tools'];
  const cpu = arch === 'arm64' ? 'aarch64' : 'x86_64';
  return [`${cpu}-linux-gnu-gcc`, `gcc-${cpu.replace('_', '-')}-linux-gnu`];
}

/* False when it could not be done; apt has said why. */
export function installPackages(packages: readonly string[]): boolean {
  return withoutServices(
    () => apt('install', ...packages) || (apt('update') && apt('install', ...packages)),
  );
}

/*
 * Some packages start a service when they are installed (PostgreSQL, Prometheus); we want their programs, not a server on
 * somebody's machine. Debian asks this file before it starts one, and 101 means no. Where there is one already, its answer
 * stands. Should we be killed before it is taken away, it says yes and goes by itself.
 */
const policyPath = '/usr/sbin/policy-rc.d';
const policy = `#!/bin/sh
kill -0 ${process.pid} 2>/dev/null && exit 101
rm -f "$0"
`;

function withoutServices(work: () => boolean): boolean {
  try {
    writeFileSync(policyPath, policy, { mode: 0o755, flag: 'wx' });
  } catch {
    return work();
  }
  try {
    return work();
  } finally {
    rmSync(policyPath);
  }
}

function apt(...args: readonly string[]): boolean {
  const options = ['-qq', '-y', '--no-install-recommends'];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  /* Its standard output is a page of unpacking; what goes wrong is on the other one. */
  const stdio: ['ignore', 'ignore', 'inherit'] = ['ignore', 'ignore', 'inherit'];
  return spawnSync('apt-get', [...options, ...args], { env, stdio }).status === 0;
}

/* A name with a slash is a file; `*` is any version. */
export function isInstalled(name: string): boolean {
  if (name.startsWith('/')) return globSync(name).length > 0;
  return (process.env['PATH'] ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
