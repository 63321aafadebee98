/*
 * One `npm install` in a draft: no scripts, no audit, progress by what it fetches, its failure as one of our errors.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { onAbort } from '@clawdfather/kit';
import { AgentsError, type AgentsErrorCode } from '../errors.ts';

export interface NpmRun {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly draft: string;
  readonly signal: AbortSignal | undefined;
  onStart(pid: number): void;
  /** After each package that was fetched. */
  onFetched(count: number): void;
}

const flags = [
  'install',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--omit=dev',
  '--package-lock',
  '--no-global',
  '--no-progress',
  '--no-update-notifier',
  // One line for every answer of the registry.
  '--loglevel=http',
  // Without a network it gives up after seconds instead of minutes.
  '--fetch-retries=2',
  '--fetch-retry-mintimeout=1000',
  '--fetch-retry-maxtimeout=5000',
];

/** For the error's detail. npm says why at the end. */
const keptLinesMax = 20;

const codes: Readonly<Record<string, AgentsErrorCode>> = {
  ENOSPC: 'install-disk-full',
  EDQUOT: 'install-disk-full',
  ENOTFOUND: 'install-no-network',
  EAI_AGAIN: 'install-no-network',
  ECONNREFUSED: 'install-no-network',
  ECONNRESET: 'install-no-network',
  EHOSTUNREACH: 'install-no-network',
  ENETUNREACH: 'install-no-network',
  ETIMEDOUT: 'install-no-network',
  ERR_SOCKET_TIMEOUT: 'install-no-network',
};

const words: Readonly<Partial<Record<AgentsErrorCode, readonly [string, string]>>> = {
  'install-disk-full': ['the disk is full', 'make room, then try again; nothing was left behind'],
  'install-no-network': [
    'the npm registry cannot be reached',
    'look at the network, at HTTPS_PROXY and at `npm config get registry`, then try again',
  ],
};

export async function runNpm(run: NpmRun): Promise<void> {
  const [program = '', ...args] = run.argv;
  // A group of its own, so that giving up ends all of it.
  const child = spawn(program, [...args, ...flags], {
    cwd: run.draft,
    env: run.env,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (child.pid !== undefined) run.onStart(child.pid);
  const lines: string[] = [];
  let npmCode: string | undefined;
  // A package may be told of twice, from the network and from npm's cache.
  const fetched = new Set<string>();
  createInterface({ input: child.stderr }).on('line', (line) => {
    npmCode ??= /^npm (?:error|ERR!) code (\w+)/.exec(line)?.[1];
    const archive = /^npm http (?:fetch|cache)\b.*?(https?:\S+\.tgz)\b/.exec(line)?.[1];
    if (archive !== undefined) {
      fetched.add(archive);
      run.onFetched(fetched.size);
    } else if (/^npm (?:error|ERR!)/.test(line)) {
      lines.push(line);
      if (lines.length > keptLinesMax) lines.shift();
    }
  });
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.on('error', reject);
  child.on('close', resolve);
  const stop = onAbort(run.signal ?? new AbortController().signal, () => endGroup(child.pid));
  try {
    const exitCode = await promise;
    run.signal?.throwIfAborted();
    if (exitCode !== 0) throw npmFailed(npmCode, exitCode, lines);
  } finally {
    stop();
  }
}

function npmFailed(npmCode = '', exitCode: number | null, lines: readonly string[]): AgentsError {
  const code = codes[npmCode] ?? 'install-failed';
  const [message, hint] = words[code] ?? [
    `npm could not install it${npmCode === '' ? '' : ` (${npmCode})`}`,
    'its last lines are in the detail; try again, or look at the registry that npm uses',
  ];
  return new AgentsError(code, message, { detail: { npmCode, exitCode, lines }, hint });
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}
