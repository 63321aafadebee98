/*
 * The tools over a real supervisor and real processes, in directories of their own.
 *
 * Everything a rig starts carries its mark in the environment, so that the end of each test can look at the whole process
 * table and insist that nothing is left. `restart` is what a new process of the gateway or of an MCP server does.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Clock, createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import type {
  ApprovalDecision,
  ExecParams,
  ExecResult,
  ProcessAction,
  ProcessParams,
  ProcessResult,
} from '@clawdfather/protocol';
import {
  type ApprovalStore,
  createSupervisor,
  openApprovals,
  type Supervisor,
} from '@clawdfather/supervisor';
import {
  type AccountRoom,
  agentPolicy,
  createAccountRoom,
  createAllowlist,
  createGatekeeper,
  createStarterReach,
  createTools,
  decideApproval,
  type DecisionOutcome,
  type Gatekeeper,
  type LocalUsers,
  type RunBounds,
  type ToolCall,
  type Tools,
  type ToolsDeps,
} from '../../src/index.ts';

export const clock: Clock = createSystemClock();
/* Longer than anything here takes on a loaded machine; only a hang meets it. */
export const patienceMs = 30_000;
const markVariable = 'TOOLS_TEST_MARK';

export const allowAll: Gatekeeper = {
  check: async () => ({ kind: 'allowed', rule: 'security: full', rules: [] }),
  approval: () => undefined,
  approvalOf: () => undefined,
  wholeApproval: () => undefined,
  list: () => [],
  count: () => 0,
  confirm: async () => ({ kind: 'same' }),
  withdraw: async () => false,
  settleLapsed: async () => {},
  settled: async () => {
    throw new Error('nothing is held here');
  },
};

export interface RigOptions extends Partial<ToolsDeps> {
  /* The real gatekeeper with the policy for agents, instead of one that allows everything. */
  readonly hasApprovals?: boolean;
  /* Of every account. A requester that begins with `device:` is a person. */
  readonly bounds?: RunBounds;
}

export interface ToolsRig {
  /* As a person at a terminal would; only with `hasApprovals`. */
  decide(approvalId: string, decision: ApprovalDecision): Promise<DecisionOutcome>;
  readonly stateDir: string;
  readonly scratchDir: string;
  /* Of the newest generation. */
  readonly tools: Tools;
  readonly supervisor: Supervisor;
  call(change?: Partial<ToolCall>): ToolCall;
  exec(params: ExecParams, change?: Partial<ToolCall>): Promise<ExecResult>;
  process<Action extends ProcessAction>(
    params: Extract<ProcessParams, { action: Action }>,
    change?: Partial<ToolCall>,
  ): Promise<Extract<ProcessResult, { action: Action }>>;
  /* Starts a run that goes on, whatever it says first. */
  start(params: ExecParams): Promise<Extract<ExecResult, { status: 'running' }>>;
  /* Polls until the text has been said; resolves with all there was, and the cursor after it. */
  untilSaid(
    runId: string,
    text: string,
  ): Promise<{ readonly output: string; readonly cursor: string }>;
  /* Polls until the end, acknowledging as it goes. */
  untilEnded(runId: string, cursor?: string): Promise<EndedPoll>;
  restart(change?: Partial<ToolsDeps>): Promise<void>;
  processes(): readonly number[];
  until(isTrue: () => boolean, what: string): Promise<void>;
}

export type EndedPoll = Extract<ProcessResult, { action: 'poll'; status: 'completed' | 'failed' }>;

function roomOf(supervisor: Supervisor, bounds: RunBounds): AccountRoom {
  const isOfPerson = (requester: string): boolean => requester.startsWith('device:');
  return createAccountRoom({ supervisor, boundsOf: () => bounds, isOfPerson });
}

/* Tests of other things have accounts of all kinds. */
export const everybodyAsUs: LocalUsers = { of: () => undefined };

let serial = 0;

export async function openToolsRig(
  test: TestContext,
  { hasApprovals = false, bounds, ...change }: RigOptions = {},
): Promise<ToolsRig> {
  serial += 1;
  const stateDir = mkdtempSync(join(tmpdir(), 'clf-tools-state-'));
  const scratchDir = mkdtempSync(join(tmpdir(), 'clf-tools-scratch-'));
  const mark = `${process.pid}-${serial}`;
  const fdsBefore = openFds();
  const open = async (over: Partial<ToolsDeps>) => {
    const supervisor = await createSupervisor({ stateDir, shimEnv: { [markVariable]: mark } });
    const store = hasApprovals ? await openApprovals({ stateDir }) : undefined;
    const deps: ToolsDeps = {
      supervisor,
      gatekeeper: store === undefined ? allowAll : agentGatekeeper(store, stateDir),
      clock,
      random: createSystemRandom(),
      log: silentLog,
      users: everybodyAsUs,
      baseEnvironment: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', [markVariable]: mark },
      homeDirectory: scratchDir,
      ...(bounds && { room: roomOf(supervisor, bounds) }),
      ...change,
      ...over,
    };
    return { supervisor, store, tools: createTools(deps) };
  };
  let now = await open({});
  const closeNow = async (): Promise<void> => {
    await now.tools.close();
    await now.store?.close();
    await now.supervisor.close();
  };
  const processes = (): readonly number[] => markedProcesses(`${markVariable}=${mark}`);

  test.after(async () => {
    await closeNow();
    try {
      await until(
        () => processes().length === 0,
        () => `these should have ended: ${namesOf(processes())}`,
      );
    } finally {
      for (const pid of processes()) killIfThere(pid);
      rmSync(stateDir, { recursive: true, force: true });
      rmSync(scratchDir, { recursive: true, force: true });
    }
    await until(
      () => openFds() <= fdsBefore,
      () => `${openFds()} descriptors, ${fdsBefore} before`,
    );
  });

  const never = new AbortController();
  const call = (over: Partial<ToolCall> = {}): ToolCall => ({
    signal: never.signal,
    requester: 'test',
    account: 'account',
    sessionId: 'session',
    ...over,
  });
  const rig: ToolsRig = {
    stateDir,
    scratchDir,
    get tools() {
      return now.tools;
    },
    get supervisor() {
      return now.supervisor;
    },
    call,
    decide: (approvalId, decision) => {
      const { store } = now;
      assert.ok(store !== undefined, 'open the rig with hasApprovals');
      const deps = {
        store,
        allowlist: createAllowlist(store),
        clock,
        random: createSystemRandom(),
      };
      return decideApproval(deps, { approvalId, decision, by: 'cli:ann', decider: person });
    },
    exec: (params, over) => now.tools.exec(params, call(over)),
    process: async <Action extends ProcessAction>(
      params: Extract<ProcessParams, { action: Action }>,
      over?: Partial<ToolCall>,
    ) =>
      (await now.tools.process(params, call(over))) as Extract<ProcessResult, { action: Action }>,
    start: async (params) => {
      const result = await now.tools.exec({ background: true, ...params }, call());
      assert.equal(result.status, 'running', JSON.stringify(result));
      return result;
    },
    untilSaid: (runId, text) => untilSaid(rig, runId, text),
    untilEnded: (runId, cursor) => untilEnded(rig, runId, cursor),
    restart: async (over = {}) => {
      await closeNow();
      now = await open(over);
    },
    processes,
    until: (isTrue, what) => until(isTrue, () => what),
  };
  return rig;
}

const leader = {
  pid: 7_000_001,
  startTicks: 1,
  processGroupId: 7_000_001,
  kernelSessionId: 7_000_001,
};
/* A shell at a terminal that no agent has anything to do with. */
const person = { lineage: [{ ...leader, comm: 'bash' }], isAtTerminal: true };

function agentGatekeeper(store: ApprovalStore, stateDir: string): Gatekeeper {
  return createGatekeeper({
    store,
    allowlist: createAllowlist(store),
    reach: createStarterReach({ home: homedir(), ours: [stateDir] }),
    clock,
    random: createSystemRandom(),
    policy: agentPolicy,
    requesterMarks: [],
  });
}

async function untilSaid(rig: ToolsRig, runId: string, text: string) {
  const endsAtMs = clock.monotonicMs() + patienceMs;
  let output = '';
  let cursor: string | undefined;
  while (clock.monotonicMs() < endsAtMs) {
    const polled = await rig.process<'poll'>({
      action: 'poll',
      runId,
      waitMs: 5_000,
      ...(cursor === undefined ? {} : { cursor }),
    });
    assert.ok('output' in polled, JSON.stringify(polled));
    output += polled.output;
    cursor = polled.cursor;
    if (output.includes(text)) return { output, cursor };
    assert.equal(polled.status, 'running', `it ended without ${text}: ${output}`);
  }
  throw new Error(`${JSON.stringify(text)} did not come, only ${JSON.stringify(output)}`);
}

async function untilEnded(rig: ToolsRig, runId: string, from?: string): Promise<EndedPoll> {
  const endsAtMs = clock.monotonicMs() + patienceMs;
  let output = '';
  let cursor = from;
  while (clock.monotonicMs() < endsAtMs) {
    const polled = await rig.process<'poll'>({
      action: 'poll',
      runId,
      waitMs: 5_000,
      ...(cursor === undefined ? {} : { cursor }),
    });
    assert.ok('output' in polled, JSON.stringify(polled));
    output += polled.output;
    cursor = polled.cursor;
    if (polled.status !== 'running') return { ...polled, output };
  }
  throw new Error(`it did not end, and said ${JSON.stringify(output)}`);
}

async function until(isTrue: () => boolean, what: () => string): Promise<void> {
  const endsAtMs = clock.monotonicMs() + patienceMs;
  while (!isTrue()) {
    assert.ok(clock.monotonicMs() < endsAtMs, what());
    await clock.sleep(5);
  }
}

function markedProcesses(line: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => textOf(`/proc/${pid}/environ`).split('\0').includes(line))
    .filter((pid) => isAlive(Number(pid)))
    .map(Number);
}

/* A zombie is gone; whoever has to reap it may take its time. */
export function isAlive(pid: number): boolean {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat !== '' && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}

function namesOf(pids: readonly number[]): string {
  return pids
    .map((pid) => `${pid} ${textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`)
    .join(', ');
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    /* It ended by itself, which is what was wanted. */
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; /* It is gone. */
  }
}

/* Watches and timers of node itself come and go; what counts is what points somewhere. */
function openFds(): number {
  return readdirSync('/proc/self/fd').filter((fd) => !linkOf(fd).startsWith('anon_inode')).length;
}

function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return 'anon_inode: gone';
  }
}
