/*
 * What the tests of the C program share: a spawnd or a shim of the test or the sanitized binary, runs with their
 * events, and the proof that nothing is left.
 *
 * `nativeTest` runs each test once per binary; CLAWDFATHER_SHIM_VARIANT picks one. After each test every run is
 * ended through its own socket, and then there must be no process, no descriptor, no word from a sanitizer.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type ShimVariant, shimVariants } from '../../src/binary-names.ts';
import { type ControlLink, openControl, shimBinaryPath, type SpawndLink } from '../../src/index.ts';
import { type SpawnRequest, startShimDirect, startSpawnd } from '../../src/index.ts';
import type { ProgramDeps } from '../../src/client/start-program.ts';
import { clock, cookie, createEventLog, isAlive, untilGone } from '../process-rig.ts';
import { createFence, type Fence } from './fence.ts';
import { createRun, type Run } from './run.ts';

export interface ProgramOptions {
  /* Put before the binary: strace, setpriv, prlimit with their arguments. */
  readonly wrap?: readonly string[];
  /* Another one than that of the variant. */
  readonly binaryPath?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Rig {
  readonly variant: ShimVariant;
  readonly dir: string;
  readonly fence: Fence;
  readonly binaryPath: string;
  /* The test's spawnd, started at the first call. */
  spawnd(): Promise<SpawndLink>;
  newSpawnd(options?: ProgramOptions): Promise<SpawndLink>;
  /* What the program is started with, for tests that do without a client. */
  deps(options?: ProgramOptions): ProgramDeps;
  request(argv: SpawnRequest['argv'], change?: Partial<SpawnRequest>): SpawnRequest;
  /* On the test's spawnd, or on `link`. */
  run(argv: SpawnRequest['argv'], change?: Partial<SpawnRequest>, link?: SpawndLink): Promise<Run>;
  runDirect(request: SpawnRequest, options?: ProgramOptions): Run;
  sh(script: string, change?: Partial<SpawnRequest>): Promise<Run>;
  control(run: Run): Promise<ControlLink>;
  /* For programs whose clock the test moves; from then on it runs on from there. */
  readonly clockEnv: Readonly<Record<string, string>>;
  moveClock(offsets: { readonly monotonicMs?: number; readonly wallMs?: number }): void;
  /* An executable file. */
  program(name: string, text: string): string;
  /* To be done when the test is over, before it is checked that nothing is left; last one first. */
  defer(action: () => void | Promise<void>): void;
}

export interface Needs {
  readonly root?: boolean;
  /* The clock that tests can move. */
  readonly hooks?: boolean;
  readonly programs?: readonly string[];
  readonly cgroup2?: boolean;
  /* At least this version of its interface. */
  readonly landlock?: number;
  readonly variants?: readonly ShimVariant[];
}

const timeoutMs = 60_000;
const wanted = process.env['CLAWDFATHER_SHIM_VARIANT'];
const defaultVariants: readonly ShimVariant[] = ['test', 'asan'];

export function nativeTest(
  name: string,
  body: (rig: Rig) => Promise<void>,
  needs: Needs = {},
): void {
  const asked = shimVariants.filter((variant) => variant === wanted);
  const variants = asked.length > 0 ? asked : (needs.variants ?? defaultVariants);
  for (const variant of variants) {
    const label = variant === 'test' ? name : `${name} [${variant}]`;
    const skip = reasonToSkip(needs, variant);
    test(label, { timeout: timeoutMs, skip: skip ?? false }, async () => {
      buildOnce(variant);
      const sockets = countSockets();
      const rig = createRig(variant);
      try {
        await body(rig);
      } catch (error) {
        await rig.close().catch(() => {}); /* The first failure is the one to report. */
        throw error;
      }
      await rig.close();
      await until('our descriptors are closed', () => countSockets() <= sockets);
    });
  }
}

function reasonToSkip(needs: Needs, variant: ShimVariant): string | undefined {
  if (process.platform !== 'linux') return 'the shim is written for Linux';
  if (needs.root === true && process.getuid?.() !== 0) return 'needs root';
  if (needs.hooks === true && variant === 'release') return 'needs the hooks of a test build';
  if (needs.cgroup2 === true && createdCgroup() === undefined) return 'needs a cgroup2 mount';
  if (needs.landlock !== undefined && landlockVersion() < needs.landlock) {
    return `needs Landlock with version ${needs.landlock} of its interface`;
  }
  const missing = needs.programs?.find((program) => !isInstalled(program));
  return missing === undefined ? undefined : `needs ${missing}`;
}

function landlockVersion(): number {
  const { stdout } = spawnSync(shimBinaryPath(), ['confinement'], { encoding: 'utf8' });
  return Number(/"landlock":(\d+)/.exec(stdout)?.[1] ?? 0);
}

function createdCgroup(): string | undefined {
  const fence = createFence();
  fence.remove();
  return fence.cgroupDir;
}

export function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', 'command -v "$1"', 'sh', program]).status === 0;
}

const built = new Set<string>();

/*
 * Test files run side by side; the lock makes one of them build and the others find it built. With `arch`, what is built is for
 * that kind of machine.
 */
export function buildOnce(variant: ShimVariant, arch?: string): void {
  const flags = [`--variant=${variant}`, ...(arch === undefined ? [] : [`--arch=${arch}`])];
  const key = flags.join(' ');
  if (built.has(key)) return;
  const script = fileURLToPath(new URL('../../build/build.ts', import.meta.url));
  const lock = join(tmpdir(), `clf-native-build-${process.getuid?.() ?? 0}.lock`);
  const result = spawnSync('flock', [lock, process.execPath, script, ...flags], {
    encoding: 'utf8',
  });
  assert.equal(result.status, 0, `${result.stdout}${result.stderr}`);
  built.add(key);
}

/* Polls, for what announces itself to nobody. */
export async function until(what: string, isSo: () => boolean): Promise<void> {
  const untilMs = clock.monotonicMs() + 30_000;
  while (!isSo()) {
    assert.ok(clock.monotonicMs() < untilMs, `it never came: ${what}`);
    await clock.sleep(5);
  }
}

function createRig(variant: ShimVariant): Rig & { close(): Promise<void> } {
  const dir = mkdtempSync(join(tmpdir(), 'clf-native-'));
  const logPath = join(dir, 'log');
  const logFd = openSync(logPath, 'a');
  const fence = createFence();
  const runs: Run[] = [];
  const links: SpawndLink[] = [];
  const deferred: (() => void | Promise<void>)[] = [];
  let shared: Promise<SpawndLink> | undefined;
  let count = 0;

  const clockPath = join(dir, 'clock');
  const moveClock: Rig['moveClock'] = ({ monotonicMs = 0, wallMs = 0 }) =>
    writeFileSync(clockPath, `${monotonicMs} ${wallMs}`);
  moveClock({});
  const program = (name: string, text: string): string => {
    const path = join(dir, name);
    writeFileSync(path, text, { mode: 0o755 });
    return path;
  };
  const deps = (options: ProgramOptions = {}) => {
    const { wrap = [], env = {}, binaryPath: own = shimBinaryPath(variant) } = options;
    count += 1;
    const words = [...wrap, own].map((word) => `'${word}'`).join(' ');
    const lines = ['#!/bin/sh', fence.enterScript, `exec ${words} "$@"`, ''];
    const binaryPath = program(`start-${count}`, lines.join('\n'));
    return { binaryPath, clock, logFd, env: { ...sanitizerEnv(wrap), ...env } };
  };
  const newSpawnd = async (options: ProgramOptions = {}): Promise<SpawndLink> => {
    const link = await startSpawnd(deps(options));
    links.push(link);
    return link;
  };
  const request = (argv: SpawnRequest['argv'], change: Partial<SpawnRequest> = {}) => {
    count += 1;
    const runDir = change.runDir ?? join(dir, `run-${count}`);
    if (change.runDir === undefined) mkdirSync(runDir, { mode: 0o700 });
    return { ...defaultRequest(argv, { runDir, runId: `r${count}`, mark: fence.mark }), ...change };
  };
  const addRun = (run: Run): Run => {
    runs.push(run);
    return run;
  };
  const spawnd = (): Promise<SpawndLink> => (shared ??= newSpawnd());
  const run: Rig['run'] = async (argv, change, link) => {
    const on = link ?? (await spawnd());
    const asked = request(argv, change);
    const log = createEventLog();
    on.ref();
    on.spawn(asked, log.onEvent);
    return addRun(createRun(asked, log));
  };

  return {
    variant,
    dir,
    fence,
    binaryPath: shimBinaryPath(variant),
    spawnd,
    newSpawnd,
    deps,
    request,
    run,
    clockEnv: { CLAWDFATHER_TEST_CLOCK: clockPath },
    moveClock,
    program,
    sh: (script, change) => run(['sh', '-c', script], change),
    runDirect: (asked, options = {}) => {
      const log = createEventLog();
      const link = startShimDirect(asked, { ...deps(options), onEvent: log.onEvent });
      deferred.push(() => link.close());
      return addRun(createRun(asked, log));
    },
    control: async (of) => {
      const control = await openControl(of.request.runDir, of.request.cookie, { clock });
      deferred.push(() => control.close());
      return control;
    },
    defer: (action) => void deferred.push(action),
    close: async () => {
      while (deferred.length > 0) await deferred.pop()?.();
      for (const ended of runs) await endRun(ended);
      for (const link of links) link.close();
      for (const link of links) await untilGone(link.hello.pid);
      closeSync(logFd);
      await until(`everything is gone: ${fence.processes().join(', ')}`, () => {
        return fence.processes().length === 0;
      });
      await until('the kernel lets go of their cgroup', () => fence.remove());
      assert.equal(readFileSync(logPath, 'utf8'), '', 'the program complained');
      assert.deepEqual(descriptorsInto(dir), []);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/* strace in front of a program, to make its system calls fail. */
export function injecting(...faults: readonly string[]): readonly string[] {
  const calls = [...new Set(faults.map((fault) => fault.slice(0, fault.indexOf(':'))))];
  const options = faults.flatMap((fault) => ['-e', `inject=${fault}`]);
  const quiet = ['-f', '--seccomp-bpf', '-o', '/dev/null', '-e', `trace=${calls.join(',')}`];
  return ['strace', ...quiet, ...options];
}

/* What a leak checker needs to attach is taken by a tracer. */
function sanitizerEnv(wrap: readonly string[]): Record<string, string> {
  return wrap.includes('strace') ? { ASAN_OPTIONS: 'detect_leaks=0' } : {};
}

interface Identity {
  readonly runDir: string;
  readonly runId: string;
  readonly mark: string;
}

function defaultRequest(argv: SpawnRequest['argv'], { runDir, runId, mark }: Identity) {
  return {
    runDir,
    runId,
    cookie,
    meta: Buffer.from('{}'),
    epoch: 1,
    owner: { instance: 'test', generation: 1, pid: process.pid, startTicks: 0 },
    argv,
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', MARK: mark },
    cwd: '/',
    stdin: 'null',
    overallMs: undefined,
    noOutputMs: undefined,
    graceMs: 1_000,
    killMs: 5_000,
    startMs: 30_000,
    ownerLoss: 'adopt',
    leaseMs: 1_000,
    leftovers: 'fail',
    journal: { mode: 'ring', bytesMax: 2 ** 32, segmentBytes: 2 ** 26 },
  } satisfies SpawnRequest;
}

/* Through its own socket, whatever became of its link; then its shim must go. */
async function endRun({ request }: Run): Promise<void> {
  let control: ControlLink;
  try {
    control = await openControl(request.runDir, request.cookie, { clock, limitMs: 5_000 });
  } catch {
    return; /* No shim: it ended, or was killed by the test. */
  }
  const { epoch, shimPid } = control.hello;
  const ask = { type: 'terminate', epoch, reason: 'manual-cancel', graceMs: 0 } as const;
  await control.request({ ...ask, actor: 'rig' }).catch(() => {}); /* It may end just now. */
  control.close();
  await until(`shim ${shimPid} of ${request.runDir} is gone`, () => !isAlive(shimPid));
}

function countSockets(): number {
  return descriptors().filter((target) => target.startsWith('socket:')).length;
}

function descriptorsInto(dir: string): readonly string[] {
  return descriptors().filter((target) => target.startsWith(dir));
}

function descriptors(): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return []; /* The one that listed them. */
    }
  });
}
