/*
 * A host for the tests of `mux`: a real sshd, a real master, and clients of the program under test.
 *
 * Everything ends with the test. A client that is still there then is killed; what a sanitizer says on its standard error
 * fails the test.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSshd, type SshdOptions, sshdPath, type SshdRig } from '@clawdfather/testkit';
import { isAlive } from '../process-rig.ts';
import { nativeTest, type Needs, type Rig, until } from './rig.ts';

export interface Host {
  readonly sshd: SshdRig;
  /* The master's control socket. */
  readonly socket: string;
  readonly masterPid: number;
  /* A client with a report of its own. */
  run(command: string, options?: ClientOptions): Client;
  /* A command that has to succeed: the master serves. */
  serves(): Promise<void>;
}

export interface ClientOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly socket?: string;
  /* Put before the binary. */
  readonly wrap?: readonly string[];
  readonly stdin?: 'ignore' | 'pipe';
  /* Its output is not read until `resume`. */
  readonly isStalled?: boolean;
}

export interface Client {
  readonly child: ChildProcess;
  readonly pid: number;
  stdout(): Buffer;
  stderr(): Buffer;
  report(): readonly string[];
  /* A line of the report that begins so, past or to come. */
  reports(start: string): Promise<string>;
  says(text: string): Promise<void>;
  resume(): void;
  /* Its status, or the signal that ended it; and all of its output was read. */
  readonly ended: Promise<number | string>;
  /* The same, while the master may still hold its output. */
  readonly exited: Promise<number | string>;
}

export const sshPrograms = ['ssh', 'ssh-keygen', sshdPath()];
export const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export function muxTest(
  name: string,
  body: (host: Host, rig: Rig) => Promise<void>,
  options: SshdOptions & Needs = {},
): void {
  const programs = [...sshPrograms, ...(options.programs ?? [])];
  nativeTest(name, async (rig) => body(await openHost(rig, options), rig), {
    ...options,
    programs,
  });
}

export async function openHost(rig: Rig, options: SshdOptions = {}): Promise<Host> {
  const sshd = await openSshd(rig, options);
  const dir = sshd.dir;
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(dir, 'id')]);
  sshd.authorize(readFileSync(join(dir, 'id.pub'), 'utf8'));
  writeFileSync(join(dir, 'known'), `rig ${sshd.hostKey.line}\n`);
  const socket = join(dir, 'm');
  const master = await startMaster(sshd, socket);
  rig.defer(() => endMaster(master));
  const run = (command: string, given: ClientOptions = {}): Client =>
    startClient(rig, command, { socket, ...given });
  return {
    sshd,
    socket,
    masterPid: pidOf(master),
    run,
    serves: async () => {
      const client = run('echo served');
      assert.equal(await client.ended, 0, client.report().join('\n'));
      assert.equal(client.stdout().toString(), 'served\n');
    },
  };
}

export function sshSettings(sshd: SshdRig): readonly string[] {
  const settings = [
    `UserKnownHostsFile=${join(sshd.dir, 'known')}`,
    'GlobalKnownHostsFile=none',
    'HostKeyAlias=rig',
    'StrictHostKeyChecking=yes',
    'BatchMode=yes',
    `IdentityFile=${join(sshd.dir, 'id')}`,
    'IdentitiesOnly=yes',
    'IdentityAgent=none',
    `Port=${sshd.port}`,
    `User=${sshd.user}`,
  ];
  return ['-F', 'none', ...settings.flatMap((setting) => ['-o', setting])];
}

/* The socket is linked into place when it listens. */
async function startMaster(sshd: SshdRig, socket: string): Promise<ChildProcess> {
  const appeared = Promise.withResolvers<void>();
  const watcher = watch(sshd.dir, () => {
    if (existsSync(socket)) appeared.resolve();
  });
  const args = [...sshSettings(sshd), '-N', '-M', '-S', socket, sshd.host];
  const master = spawn('ssh', args, { env: { PATH: path }, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  master.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  master.once('exit', () => appeared.reject(new Error(`the master ended: ${said}`)));
  await appeared.promise;
  watcher.close();
  return master;
}

async function endMaster(master: ChildProcess): Promise<void> {
  if (master.exitCode !== null || master.signalCode !== null) return;
  const ended = Promise.withResolvers<void>();
  master.once('close', () => ended.resolve());
  master.kill('SIGKILL');
  await ended.promise;
}

let count = 0;

function startClient(rig: Rig, command: string, options: ClientOptions): Client {
  const { socket = '', wrap = [], stdin = 'ignore', isStalled = false } = options;
  count += 1;
  const reportPath = join(rig.dir, `report-${count}`);
  const [program, ...args] = [...wrap, rig.binaryPath, 'mux', socket];
  const child = spawn(program, args, {
    env: {
      PATH: path,
      CLAWDFATHER_MUX_COMMAND: command,
      CLAWDFATHER_MUX_REPORT: reportPath,
      ...options.env,
    },
    stdio: [stdin, 'pipe', 'pipe'],
  });
  const output = collect(child);
  if (!isStalled) output.resume();
  const ended = Promise.withResolvers<number | string>();
  child.once('error', ended.reject);
  child.once('close', (code, signal) => ended.resolve(code ?? signal ?? ''));
  const exited = Promise.withResolvers<number | string>();
  child.once('exit', (code, signal) => exited.resolve(code ?? signal ?? ''));
  const pid = pidOf(child);
  const report = (): readonly string[] => readLines(reportPath);
  rig.defer(async () => {
    if (isAlive(pid)) child.kill('SIGKILL');
    output.resume();
    await ended.promise;
    assert.doesNotMatch(output.stderr().toString('latin1'), /Sanitizer|runtime error/);
  });
  return {
    child,
    pid,
    stdout: output.stdout,
    stderr: output.stderr,
    resume: output.resume,
    report,
    reports: async (start) => {
      const find = (): string | undefined => report().find((line) => line.startsWith(start));
      await until(`${start} in the report of ${command}`, () => find() !== undefined);
      return find() ?? '';
    },
    says: (text) => until(`it says ${text}`, () => output.stdout().includes(text)),
    ended: ended.promise,
    exited: exited.promise,
  };
}

function readLines(reportPath: string): readonly string[] {
  if (!existsSync(reportPath)) return [];
  return readFileSync(reportPath, 'utf8').split('\n').slice(0, -1);
}

function collect(child: ChildProcess) {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  return {
    stdout: () => Buffer.concat(out),
    stderr: () => Buffer.concat(err),
    resume: () => {
      if (child.stdout?.listenerCount('data') === 0)
        child.stdout.on('data', (it: Buffer) => out.push(it));
      if (child.stderr?.listenerCount('data') === 0)
        child.stderr.on('data', (it: Buffer) => err.push(it));
    },
  };
}

export function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('it did not start');
  return child.pid;
}
