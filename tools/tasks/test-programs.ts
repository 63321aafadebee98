/*
 * Programs that tests drive for real and that a plain Debian machine lacks: installed from Debian's packages when we may,
 * else named. A test whose program is missing says so and skips; nothing fails here.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, globSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/* The kind of machine that this one is not, for which the shim is built and tried, too. */
const foreign = process.arch === 'arm64' ? 'x86_64' : 'aarch64';

/* Command → Debian package. A name with a slash is a file; `*` is any version. */
const programs: Readonly<Record<string, string>> = {
  bash: 'bash',
  clang: 'clang',
  dash: 'dash',
  fish: 'fish',
  less: 'less',
  'musl-gcc': 'musl-tools',
  [`${foreign}-linux-gnu-gcc`]: `gcc-${foreign.replace('_', '-')}-linux-gnu`,
  [`qemu-${foreign}`]: 'qemu-user',
  '/usr/sbin/mkfs.ext4': 'e2fsprogs',
  '/usr/lib/postgresql/*/bin/initdb': 'postgresql',
  promtool: 'prometheus',
  setpriv: 'util-linux',
  script: 'bsdutils',
  'ssh-agent': 'openssh-client',
  strace: 'strace',
  tmux: 'tmux',
  top: 'procps',
  vim: 'vim',
  zsh: 'zsh',
};

const missing = Object.keys(programs).filter((name) => !isInstalled(name));
if (missing.length > 0) install(missing);

function install(names: readonly string[]): void {
  const packages = [...new Set(names.map((name) => programs[name] ?? name))];
  const isAllowed = process.getuid?.() === 0 && isInstalled('apt-get');
  if (!isAllowed) {
    say(`not installed, so tests that need them skip: ${names.join(', ')}`);
    return say(`as root: apt-get install ${packages.join(' ')}`);
  }
  say(`installing ${packages.join(' ')}`);
  const isDone = withoutServices(
    () => apt('install', ...packages) || (apt('update') && apt('install', ...packages)),
  );
  if (!isDone) say(`could not be installed, so tests that need them skip: ${names.join(', ')}`);
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

function isInstalled(name: string): boolean {
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

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
