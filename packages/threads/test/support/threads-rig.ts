/*
 * Gateways without a network: each has a supervisor and threads of its own over one state directory and one database, and can be lost at
 * any named point. The agent is a real process that plays a script.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import {
  type AgentProcess,
  type AgentRunRow,
  agentVariables,
  type EventRow,
  type ThreadName,
} from '@clawdfather/agents';
import { type Clock, createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { createSupervisor, type ProcessTable, type Supervisor } from '@clawdfather/supervisor';
import {
  expectedLines,
  fakeAgentCommand,
  readTrace,
  type Script,
  writeScript,
} from '@clawdfather/testkit';
import {
  type AgentSessions,
  type AgentStarter,
  type CrashPoint,
  createEventDesk,
  createThreads,
  type Threads,
} from '@clawdfather/threads';
import { anAccount, MemoryRecords } from './memory-records.ts';

export const clock = createSystemClock();
const random = createSystemRandom();

export interface TestGateway {
  readonly threads: Threads;
  readonly supervisor: Supervisor;
  /* Lost the next time that it comes to this point, or to this point after another one. */
  loseOn(point: CrashPoint, after?: CrashPoint): void;
  /* As by kill -9: nothing of it does anything any more. */
  lose(): Promise<void>;
}

export interface GatewayOptions {
  /* Lost at this crash point, counted from 1. */
  readonly lostAt?: number;
  readonly onLost?: (point: CrashPoint) => void;
  /* Of the threads alone; the supervisor's is real. */
  readonly clock?: Clock;
  readonly processTable?: ProcessTable;
  readonly sessions?: AgentSessions;
}

export interface RigOptions {
  /* Of all that the rig has. */
  readonly dir?: string;
  /* From SIGTERM to SIGKILL. */
  readonly graceMs?: number;
  /* That agents belong to. */
  readonly sessionId?: string;
}

export class ThreadsRig {
  readonly dir: string;
  readonly database = new MemoryRecords();
  readonly gates: string;
  readonly trace: string;
  readonly #script: string;
  readonly #options: RigOptions;
  readonly #gateways = new Set<TestGateway>();
  /* How many points the last gateway has passed. */
  points = 0;

  constructor(t: TestContext, script: Script, options: RigOptions = {}) {
    this.#options = options;
    this.dir = options.dir ?? mkdtempSync(join(tmpdir(), 'clf-threads-'));
    mkdirSync(this.dir, { recursive: true });
    this.gates = join(this.dir, 'gates');
    mkdirSync(this.gates, { recursive: true });
    this.trace = join(this.dir, 'trace');
    this.#script = writeScript(join(this.dir, 'script'), script);
    t.after(() => this.close());
  }

  /* What agents play that are started from now on. */
  play(script: Script): void {
    writeScript(this.#script, script);
  }

  async gateway(options: GatewayOptions = {}): Promise<TestGateway> {
    const { onLost, processTable } = options;
    const { lostAt = Infinity } = options;
    let wished: { readonly point: CrashPoint; readonly after?: CrashPoint | undefined } | undefined;
    const supervisor = await createSupervisor({
      stateDir: join(this.dir, 'state'),
      adoption: 'adopt',
      ...(processTable && { processTable }),
    });
    let isLost = false;
    this.points = 0;
    const onPoint = (point: CrashPoint): void => {
      this.points += 1;
      const isWished = wished !== undefined && wished.after === undefined && wished.point === point;
      if (wished?.after === point) wished = { point: wished.point };
      if (!isLost && (isWished || this.points === lostAt)) {
        isLost = true;
        onLost?.(point);
      }
      if (isLost) throw new Error('this gateway is lost');
    };
    const { records, due } = this.database;
    const threads = createThreads({
      recordsOf: () => records,
      due,
      desk: createEventDesk(),
      supervisor,
      starter: this.#starter(supervisor),
      sessions: options.sessions,
      clock: options.clock ?? clock,
      random,
      log: silentLog,
      activeMax: 20,
      onPoint,
    });
    const gateway: TestGateway = {
      threads,
      supervisor,
      loseOn: (point, after) => {
        wished = { point, after };
      },
      lose: async () => {
        isLost = true;
        await threads.close();
        await supervisor.close();
        this.#gateways.delete(gateway);
      },
    };
    this.#gateways.add(gateway);
    return gateway;
  }

  #starter(supervisor: Supervisor): AgentStarter {
    return {
      plan: async () => ({
        setup: { clientVersion: '0', mcpServers: [] },
        commandHash: 'fake',
        program: { root: dirname(process.execPath), path: process.execPath },
        sessionId: this.#options.sessionId,
        start: ({ runId, leaseId, commandHash }) =>
          supervisor.spawn({
            mode: 'child',
            runId,
            leaseId,
            argv: fakeAgentCommand({
              script: this.#script,
              gates: this.gates,
              trace: this.trace,
            }),
            cwd: this.dir,
            env: { [agentVariables.commandHash]: commandHash },
            sessionId: 'threads',
            backendId: 'agent',
            overallTimeoutMs: 120_000,
            graceMs: this.#options.graceMs ?? 2_000,
            leftovers: 'end',
            journal: { mode: 'hold', bytesMax: 16 * 1024 * 1024 },
          }),
      }),
    };
  }

  async ask(threads: Threads, text: string): Promise<ThreadName & { readonly turnId: string }> {
    const given = { agent: 'fake', cwd: this.dir, title: text };
    const { id } = await threads.create(anAccount, given);
    return { accountId: anAccount, id, turnId: await this.say(threads, id, text) };
  }

  async say(threads: Threads, threadId: string, text: string): Promise<string> {
    const blocks = [{ type: 'text', text }];
    const prompt = { blocks, loadClass: 'long_task', requester: 'device:1' } as const;
    return (await threads.prompt({ accountId: anAccount, id: threadId }, prompt)).turnId;
  }

  events(threadId: string): readonly EventRow[] {
    return this.database.threads.get(threadId)?.events ?? [];
  }

  text(threadId: string): string {
    return this.events(threadId)
      .filter(({ type, payload }) => type === 'delta' && payload['role'] === 'agent')
      .map(({ payload: { text } }) => (typeof text === 'string' ? text : ''))
      .join('');
  }

  async until(what: string, isSo: () => boolean): Promise<void> {
    const limitMs = clock.monotonicMs() + 30_000;
    while (!isSo()) {
      assert.ok(clock.monotonicMs() < limitMs, `never so: ${what}`);
      await clock.sleep(2);
    }
  }

  /* The lease of the agent that the thread has; undefined: none. */
  lease(threadId: string): AgentRunRow | undefined {
    return this.database.threads.get(threadId)?.run;
  }

  /* As if another had written it: whoever knows the old one reads again. */
  alterLease(threadId: string, change: Partial<AgentRunRow>): void {
    const stored = this.database.threads.get(threadId);
    assert.ok(stored?.run);
    stored.run = { ...stored.run, ...change };
    stored.thread = { ...stored.thread, version: stored.thread.version + 1 };
  }

  /* Its agent runs, and its lease says which process it is. */
  async runningAgent(threadId: string): Promise<AgentRunRow & { process: AgentProcess }> {
    const isReady = (): boolean => this.lease(threadId)?.phase === 'ready';
    await this.until('the agent is ready', isReady);
    const lease = this.lease(threadId);
    assert.ok(lease?.process);
    return { ...lease, process: lease.process };
  }

  status(threadId: string, event: string): EventRow | undefined {
    return this.events(threadId).findLast(
      ({ type, payload }) => type === 'status' && payload['event'] === event,
    );
  }

  /* Those that have ended, oldest first. */
  endedLeases(threadId: string): readonly AgentRunRow[] {
    return this.database.threads.get(threadId)?.endedRuns ?? [];
  }

  /* The methods that the newest agent was sent. */
  methods(): readonly string[] {
    const lines = readTrace(this.trace).at(-1)?.lines ?? [];
    return lines.flatMap(({ text }) => (JSON.parse(text) as { method?: string }).method ?? []);
  }

  /* A process that an agent has started, by its name in the script. */
  child(name: string): number {
    const pid = readTrace(this.trace).at(-1)?.children[name];
    assert.ok(pid, `the agent has started no ${name}`);
    return pid;
  }

  turnEnded(threadId: string, turnId: string): boolean {
    return this.database.threads.get(threadId)?.turns.get(turnId)?.endedAtMs !== undefined;
  }

  /* Oracle 1: what the agent was sent is exactly what was committed, once, in order; and no id of ours was used twice (W5). */
  checkTrace(threadId: string): void {
    const frames = this.database.threads.get(threadId)?.frames ?? [];
    const ids = frames
      .map(({ text }) => JSON.parse(text) as { id?: number; method?: string })
      .flatMap(({ id, method }) => (method === undefined || id === undefined ? [] : [id]));
    assert.equal(new Set(ids).size, ids.length, `ids: ${ids.join(' ')}`);
    const sent = frames.map(({ text }) => Buffer.from(text));
    assert.deepEqual(readTrace(this.trace)[0]?.lines, expectedLines(sent));
  }

  async close(): Promise<void> {
    if (!existsSync(this.dir)) return;
    for (const gateway of this.#gateways) await gateway.lose();
    const supervisor = await createSupervisor({
      stateDir: join(this.dir, 'state'),
      adoption: 'adopt',
    });
    for (const { runId, treeEndedAtMs } of supervisor.list()) {
      if (treeEndedAtMs !== undefined) continue;
      const run = await supervisor.attach(runId);
      await run.cancel();
      await run.waitTree();
    }
    await supervisor.close();
    rmSync(this.dir, { recursive: true, force: true });
  }
}
