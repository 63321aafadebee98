/*
 * A real sshd for tests: an ordinary foreground process on a free port of the loopback, with a host key, a list of keys and a
 * log of its own. Nothing of the machine's own ssh is read or written.
 *
 * Stages: directory and host key → start on a free port, again should another program take the port → used → stop: the
 * processes of its sessions, its connections, itself, the directory.
 *
 * `SSHD=` names another sshd than the machine's. Its ssh-keygen is the one in the path.
 */
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { appendFileSync, chmodSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { endSshd } from './sshd-processes.ts';
import { type SshdProgram, sshdPath, startSshd } from './sshd-program.ts';

export interface SshdOptions {
  /** Lines for its configuration, such as `MaxSessions 3`. They come first, and sshd keeps the first value of each. */
  readonly config?: readonly string[];
  /** For the environment of its sessions: `SetEnv` is one line, and a line of the rig's own is in it. */
  readonly sessionEnv?: Readonly<Record<string, string>>;
  /** Numeric; else 127.0.0.1. */
  readonly host?: string;
  /** Else one that is free. */
  readonly port?: number;
  /**
   * Who logs in, with the home that the account has. Else the user that runs the test, with an empty home: what a person has in
   * the files of a login shell is slow, and killed halfway it may leave locks.
   */
  readonly user?: string;
  /** Put before it, such as `ip netns exec NAME`. It must exec, so that the process stays the same. */
  readonly wrap?: readonly string[];
}

export interface HostKey {
  readonly type: string;
  /** base64, as in known_hosts. */
  readonly blob: string;
  /** `type blob`. */
  readonly line: string;
}

export interface SshdRig extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly pid: number;
  /** Where its files are; it goes with the rig. */
  readonly dir: string;
  /** For files of a login shell, unless `user` was given. */
  readonly home: string;
  readonly hostKey: HostKey;
  /** A line of authorized_keys; it counts from the next login on. */
  authorize(publicKeyLine: string): void;
  /** Takes all of them back. */
  authorizeNone(): void;
  /** From the next connection on it shows another key; those that are open live on. */
  swapHostKey(): Promise<HostKey>;
  /** Other lines in the place of `config`; they count from the next connection on. */
  configure(config: readonly string[]): Promise<void>;
  /** What it said so far. */
  log(): string;
  /** Resolves once the log holds this, past or to come. */
  logs(text: string): Promise<void>;
  /** Ends everything; once is enough. */
  stop(): Promise<void>;
}

/** Ends with a test, or with a scope of kit. */
export type SshdOwner =
  | { after(action: () => Promise<void>): void }
  | { defer(action: () => Promise<void>): void };

const startsMax = 10;

/** For `skip`: false, or why not. */
export const sshdSkip: string | false = existsSync(sshdPath())
  ? false
  : 'needs sshd (Debian: openssh-server)';

export async function openSshd(owner: SshdOwner, options: SshdOptions = {}): Promise<SshdRig> {
  const dir = mkdtempSync(join(tmpdir(), 'clf-sshd-'));
  // It reads the list of keys as the user who logs in.
  chmodSync(dir, 0o755);
  const keyPath = join(dir, 'host-key');
  const listPath = join(dir, 'authorized-keys');
  const home = join(dir, 'home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(listPath, '', { mode: 0o644 });
  makePrivilegeDir();
  const host = options.host ?? '127.0.0.1';
  let hostKey = makeHostKey(keyPath);
  const { program, port, mark } = await startOnFreePort(dir, { ...options, host });

  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> =>
    (stopped ??= (async () => {
      await endSshd(program, { port, mark });
      rmSync(dir, { recursive: true, force: true });
    })());
  if ('after' in owner) owner.after(stop);
  else owner.defer(stop);
  return {
    host,
    port,
    user: options.user ?? userInfo().username,
    pid: program.pid,
    dir,
    home,
    get hostKey() {
      return hostKey;
    },
    authorize: (line) => appendFileSync(listPath, `${line.trim()}\n`),
    authorizeNone: () => writeFileSync(listPath, ''),
    swapHostKey: async () => {
      hostKey = makeHostKey(keyPath);
      await program.reload();
      return hostKey;
    },
    configure: async (config) => {
      writeFileSync(
        join(dir, 'config'),
        formatConfig(dir, { ...options, host, port, mark, config }),
      );
      await program.reload();
    },
    log: () => program.log(),
    logs: (text) => program.logs(text),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/* Debian's, compiled in; sshd as root does not start without it. */
function makePrivilegeDir(): void {
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
}

function makeHostKey(path: string): HostKey {
  rmSync(path, { force: true });
  rmSync(`${path}.pub`, { force: true });
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', path]);
  const [type = '', blob = ''] = readFileSync(`${path}.pub`, 'utf8').trim().split(' ');
  return { type, blob, line: `${type} ${blob}` };
}

interface Started {
  readonly program: SshdProgram;
  readonly port: number;
  readonly mark: string;
}

async function startOnFreePort(dir: string, options: SshdOptions): Promise<Started> {
  /* In the environment of each session, so that its processes are found, whatever became of sshd. */
  const mark = `CLF_SSHD_RIG=${dir}`;
  const configPath = join(dir, 'config');
  for (let start = 1; ; start += 1) {
    const port = options.port ?? (await freePort());
    writeFileSync(configPath, formatConfig(dir, { ...options, port, mark }));
    const command = [...(options.wrap ?? []), sshdPath(), '-D', '-e', '-f', configPath];
    try {
      return { program: await startSshd(command), port, mark };
    } catch (error) {
      if (start < startsMax && options.port === undefined) continue;
      rmSync(dir, { recursive: true, force: true });
      throw error;
    }
  }
}

interface ConfigOptions extends SshdOptions {
  readonly mark: string;
}

function formatConfig(dir: string, options: ConfigOptions): string {
  const { host, port, mark } = options;
  const home = options.user === undefined ? { HOME: join(dir, 'home') } : {};
  const env = Object.entries({ ...home, ...options.sessionEnv }).map(
    ([name, value]) => `${name}=${value}`,
  );
  const lines = [
    ...(options.config ?? []),
    `ListenAddress ${host?.includes(':') ? `[${host}]` : host}:${port}`,
    `HostKey ${join(dir, 'host-key')}`,
    `PidFile ${join(dir, 'pid')}`,
    `AuthorizedKeysFile ${join(dir, 'authorized-keys')}`,
    'StrictModes no',
    'UsePAM no',
    'PermitRootLogin prohibit-password',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PrintMotd no',
    'PrintLastLog no',
    'UseDNS no',
    // A test that opens fifty connections at once is no attack.
    'MaxStartups 200',
    'Subsystem sftp internal-sftp',
    `SetEnv ${[mark, ...env].map((word) => `"${word}"`).join(' ')}`,
  ];
  return `${lines.join('\n')}\n`;
}

/* Below the ports that the kernel gives to outgoing connections: while sshd executes itself anew, one of these could take its port. */
const portRange = [12_000, 32_000] as const;

async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...portRange);
    const server = createServer();
    const isFree = Promise.withResolvers<boolean>();
    server.once('error', () => isFree.resolve(false));
    server.listen(port, '127.0.0.1', () => isFree.resolve(true));
    if (!(await isFree.promise)) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
