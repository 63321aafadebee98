/*
 * A gateway with one SSH host that is a real sshd of this machine, for tests: its key is accepted, and `run` runs a command on it.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { openSshd, type SshdOptions, type SshdRig } from '@clawdfather/testkit';
import { type Answer, type Ask, createAsk } from '../fixtures/api-client.ts';
import {
  openTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from '../fixtures/open-test-gateway.ts';

export interface World {
  readonly rig: TestGateway;
  readonly ask: Ask;
  readonly sshd: SshdRig;
  readonly connectionId: string;
  /* Waits for the end, unless the request says otherwise. */
  readonly run: (body: object) => Promise<Answer['body']>;
}

export interface WorldOptions extends TestGatewayOptions {
  /* Lines of sshd's configuration. */
  readonly sshd?: readonly string[];
  /* Where it is, and what it is started with. */
  readonly rig?: Pick<SshdOptions, 'host' | 'wrap' | 'sessionEnv'>;
}

export async function withHost(
  t: TestContext,
  work: (world: World) => Promise<void>,
  options: WorldOptions = {},
): Promise<void> {
  const sshd = await openSshd(t, { ...options.rig, config: options.sshd ?? [] });
  await using rig = await openTestGateway(options);
  const ask = createAsk(rig);
  const connectionId = await addHost(ask, sshd);
  const run = (asked: object): Promise<Answer['body']> => runOn(ask, asked);
  try {
    await work({ rig, ask, sshd, connectionId, run });
  } finally {
    await closeSessions(ask);
  }
}

/* A new key, installed, and a connection with the host's key accepted. */
export async function addHost(
  ask: Ask,
  sshd: Pick<SshdRig, 'host' | 'port' | 'user' | 'authorize'>,
  label = 'web',
): Promise<string> {
  const key = (await ask('POST', 'keys', { body: { label: `key of ${label}` } })).body.key;
  sshd.authorize(key.public_key);
  const { host, port, user: username } = sshd;
  const body = { label, host, port, username, keypair_id: key.id };
  const made = await ask('POST', 'connections', { body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const connectionId: string = made.body.connection.id;
  const tested = await ask('POST', `connections/${connectionId}/test`, {
    body: { accept_host_key: true },
  });
  assert.equal(tested.body.result, 'ok', JSON.stringify(tested.body));
  return connectionId;
}

export async function runOn(ask: Ask, asked: object): Promise<Answer['body']> {
  const answer = await ask('POST', 'runs', { body: { host: 'web', yieldMs: 20_000, ...asked } });
  return { httpStatus: answer.status, ...answer.body };
}

/* Starts it and does not wait. */
export async function startOn(ask: Ask, asked: object): Promise<string> {
  const begun = await runOn(ask, { ...asked, background: true, yieldMs: undefined });
  assert.equal(begun.httpStatus, 201, JSON.stringify(begun));
  return begun.runId;
}

export async function closeSessions(ask: Ask): Promise<void> {
  const { items } = (await ask('GET', 'sessions?status=active')).body;
  for (const { id } of items) await ask('DELETE', `sessions/${id}`);
}

/* Words that nothing else on this machine sleeps for. */
export function sleepWord(): string {
  return `600.${process.pid}${process.hrtime.bigint()}`;
}

/* How many processes of this machine sleep for it. */
export function sleepsFor(word: string): number {
  return processesWith(word).filter((words) => words[0]?.endsWith('sleep')).length;
}

/* The command lines with this word in them. */
export function processesWith(word: string): readonly (readonly string[])[] {
  const pids = readdirSync('/proc').filter((entry) => /^[0-9]+$/.test(entry));
  return pids.map(cmdlineOf).filter((words) => words.some((each) => each.includes(word)));
}

function cmdlineOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/* Events of other processes have no promise here; the test's own time limit ends it. */
export async function untilTrue(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10));
}
