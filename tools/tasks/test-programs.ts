/*
 * Programs that tests drive for real and that a plain Debian machine lacks: installed from Debian's packages when we may,
 * else named. A test whose program is missing says so and skips; without a browser the app's tests fail. Nothing fails here.
 */
import { compilerFor, installPackages, isInstalled, mayInstall } from './debian-packages.ts';

/* Command → Debian package. */
const programs: Readonly<Record<string, string>> = {
  at: 'at',
  bash: 'bash',
  busybox: 'busybox',
  bwrap: 'bubblewrap',
  clang: 'clang',
  // The parsers in C are fuzzed.
  '/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a': 'libclang-rt-dev',
  crontab: 'cron',
  dash: 'dash',
  'dbus-daemon': 'dbus',
  fish: 'fish',
  less: 'less',
  mksh: 'mksh',
  // The shim for the kind of machine that this one is not is built and tried, too.
  ...Object.fromEntries(['x64', 'arm64'].map(compilerFor)),
  [process.arch === 'arm64' ? 'qemu-x86_64' : 'qemu-aarch64']: 'qemu-user',
  '/usr/sbin/ip': 'iproute2',
  '/usr/sbin/mkfs.ext4': 'e2fsprogs',
  '/usr/sbin/nft': 'nftables',
  '/usr/sbin/dropbear': 'dropbear-bin',
  '/usr/lib/postgresql/*/bin/initdb': 'postgresql',
  promtool: 'prometheus',
  '/usr/sbin/sshd': 'openssh-server',
  setpriv: 'util-linux',
  script: 'bsdutils',
  ssh: 'openssh-client',
  'ssh-agent': 'openssh-client',
  strace: 'strace',
  tcsh: 'tcsh',
  tmux: 'tmux',
  top: 'procps',
  vim: 'vim',
  yash: 'yash',
  zsh: 'zsh',
};

/* The app has to work in three engines; a test of it that skips would say nothing. */
const browsers: Readonly<Record<string, string>> = {
  chromium: 'chromium',
  'firefox-esr': 'firefox-esr',
  WebKitWebDriver: 'webkit2gtk-driver',
  '/usr/lib/*/webkit2gtk-4.1/MiniBrowser': 'libwebkit2gtk-4.1-0',
  Xvfb: 'xvfb',
};

const missing = Object.keys({ ...programs, ...browsers }).filter((name) => !isInstalled(name));
if (missing.length > 0) install(missing);

function install(names: readonly string[]): void {
  const packages = [...new Set(names.map((name) => programs[name] ?? browsers[name] ?? name))];
  if (!mayInstall()) {
    say(`not installed, so tests that need them skip, or fail for browsers: ${names.join(', ')}`);
    return say(`as root: apt-get install ${packages.join(' ')}`);
  }
  say(`installing ${packages.join(' ')}`);
  if (!installPackages(packages))
    say(`could not be installed, so tests skip, or fail for browsers: ${names.join(', ')}`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
