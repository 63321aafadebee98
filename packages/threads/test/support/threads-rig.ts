/*
 * Gateways without a network: each has a supervisor and threads of its own over one state directory and one database, and can be lost or
 * frozen at any named point. The agent is a real process that plays a script.
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
  type OnceCommand,
  onceStartOf,
  type ThreadName,
} from '@clawdfather/agents';
import { type Clock, createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { DatabaseSync } from 'node:sqlite';
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
  type HostTools,
  type QueueLimits,
  silentThreadsObserver,
  type Threads,
  usualQueueLimits,
} from '@clawdfather/threads';
import { createGuard, type Guard } from './guarded-ports.ts';
import { anAccount, MemoryRecords } from './memory-records.ts';

export const clock = createSystemClock();
const random = createSystemRandom();

export interface TestGateway {
  readonly threads: Threads;
  readonly supervisor: Supervisor;
  /* It was lost, or is frozen. */
  hasStopped(): boolean;
  /* Lost the next time that it comes to this point, or to this point after another one. */
  loseOn(point: CrashPoint, after?: CrashPoint): void;
  /* As SIGCONT does: what it was about to do is done now. */
  thaw(): void;
  /* As by kill -9: nothing of it does anything any more. */
  lose(): Promise<void>;
}

export interface GatewayOptions {
  /* Lost at this crash point: counted from 1, or the first of this name. */
  readonly lostAt?: number | CrashPoint;
  /* Frozen there, as by SIGSTOP. */
  readonly frozenAt?: number | CrashPoint;
  /* With each point that it passes. */
  readonly onPoint?: (point: CrashPoint, count: number) => void;
  readonly onLost?: () => void;
  /* Of the threads alone; the supervisor's is real. */
  readonly clock?: Clock;
  readonly processTable?: ProcessTable;
  readonly sessions?: AgentSessions;
  readonly limits?: Partial<QueueLimits>;
  readonly availableBytes?: () => number | undefined;
}

export interface RigOptions {
  /* Of all that the rig has. */
  readonly dir?: string;
  /* From SIGTERM to SIGKILL. */
  readonly graceMs?: number;
  /* That agents belong to. */
  readonly sessionId?: string;
  /* It runs on a host, which these stand for. */
  readonly tools?: HostTools | undefined;
  /* It runs on a host, which is reached like this. */
  readonly enter?:
    | (() => Promise<{ readonly sessionId: string; readonly cwd: string }>)
    | undefined;
  /* How long a host or a gateway may be silent. */
  readonly silenceMs?: number | undefined;
  /* Of a gateway on another machine. */
  readonly database?: MemoryRecords;
  /* Instead of the script, an agent that is run once per turn. */
  readonly once?: OnceCommand | undefined;
}

/* The tests of the queue set their own. */
const lane = { activeMax: 20, waitingMax: 1_000, waitMsMax: 3_600_000 };
const manyAtOnce = { ...usualQueueLimits, agent: lane, account: lane, gateway: lane };

export class ThreadsRig {
  readonly dir: string;
  readonly database: MemoryRecords;
  readonly gates: string;
  readonly trace: string;
  readonly stateDir: string;
  /* What was delivered or acknowledged before it was committed. */
  readonly violations: string[] = [];
  readonly #script: string;
  readonly #options: RigOptions;
  readonly #gateways = new Set<TestGateway>();

  constructor(t: TestContext, script: Script, options: RigOptions = {}) {
    this.#options = options;
    this.database = options.database ?? new MemoryRecords();
    this.dir = options.dir ?? mkdtempSync(join(tmpdir(), 'clf-threads-'));
    this.gates = join(this.dir, 'gates');
    mkdirSync(this.gates, { recursive: true });
    this.trace = join(this.dir, 'trace');
    this.stateDir = join(this.dir, 'state');
    this.#script = writeScript(join(this.dir, 'script'), script);
    t.after(() => this.close());
  }

  /* What agents play that are started from now on. */
  play(script: Script): void {
    writeScript(this.#script, script);
  }

  async gateway(options: GatewayOptions = {}): Promise<TestGateway> {
    const { lostAt, frozenAt, onPoint, onLost, processTable } = options;
    const supervisor = await createSupervisor({
      stateDir: this.stateDir,
      adoption: 'adopt',
      ...(processTable && { processTable }),
    });
    let wished: { readonly point: CrashPoint; readonly after?: CrashPoint | undefined } | undefined;
    const guard = createGuard(this.database, this.violations);
    let points = 0;
    const passPoint = (point: CrashPoint): void => {
      points += 1;
      onPoint?.(point, points);
      const isWished = wished !== undefined && wished.after === undefined && wished.point === point;
      if (wished?.after === point) wished = { point: wished.point };
      const isDue = points === lostAt || point === lostAt || isWished;
      if (!guard.hasStopped() && isDue) guard.lose();
      if (isWished) onLost?.();
      if (points === frozenAt || point === frozenAt) guard.freeze();
      guard.throwIfLost();
    };
    const threads = createThreads({
      recordsOf: () => guard.records,
      due: guard.due,
      queue: guard.queue,
      desk: createEventDesk(),
      supervisor: guard.supervisor(supervisor),
      lookAfter: () => void supervisor.reconcile().catch(() => undefined),
      starter: this.#starter(supervisor, guard),
      observer: silentThreadsObserver,
      sessions: options.sessions,
      clock: options.clock ?? clock,
      random,
      log: silentLog,
      silenceMs: this.#options.silenceMs,
      limits: { ...manyAtOnce, ...options.limits },
      availableBytes: async () => options.availableBytes?.(),
      onPoint: passPoint,
    });
    const gateway: TestGateway = {
      threads,
      supervisor,
      hasStopped: () => guard.hasStopped(),
      loseOn: (point, after) => {
        wished = { point, after };
      },
      thaw: () => guard.thaw(),
      lose: async () => {
        guard.lose();
        await threads.close();
        await supervisor.close();
        this.#gateways.delete(gateway);
      },
    };
    this.#gateways.add(gateway);
    return gateway;
  }

  /* As if they had been frozen for so long: whoever opens next takes what they hold. */
  expireLeases(): void {
    using registry = new DatabaseSync(join(this.stateDir, 'registry.db'), { timeout: 5_000 });
    registry.exec('UPDATE owners SET lease_expires_at_ms = 0');
  }

  #starter(supervisor: Supervisor, guard: Guard): AgentStarter {
    const { tools, enter } = this.#options;
    return {
      plan: async (_account, thread) => ({
        setup: {
          clientVersion: '0',
          mcpServers: [],
          servesHost: tools !== undefined,
          once: this.#options.once?.once,
        },
        ...(tools && { tools: () => guard.tools(tools) }),
        ...(enter && { enter }),
        commandHash: 'fake',
        program: { root: dirname(process.execPath), path: process.execPath },
        sessionId: this.#options.sessionId,
        start: async ({ runId, leaseId, commandHash }, turn) => {
          await guard.pass();
          const started = await supervisor.spawn({
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
            ...(this.#options.once && onceStartOf(this.#options.once, thread, { runId, turn })),
          });
          await guard.pass();
          return guard.run(started);
        },
      }),
    };
  }

  async ask(threads: Threads, text: string): Promise<ThreadName & { readonly turnId: string }> {
    const given = { agent: 'fake', cwd: this.dir, title: text };
    const { id } = await threads.create(anAccount, given, { actor: 'device:1' });
    return { accountId: anAccount, id, turnId: await this.say(threads, id, text) };
  }

  async say(threads: Threads, threadId: string, text: string): Promise<string> {
    return this.#prompt(threads, threadId, { text });
  }

  /* The same message twice is one turn. */
  async sayOnce(threads: Threads, threadId: string, text: string): Promise<string> {
    return this.#prompt(threads, threadId, { text, clientMessageId: text });
  }

  async #prompt(
    threads: Threads,
    threadId: string,
    { text, clientMessageId }: { readonly text: string; readonly clientMessageId?: string },
  ): Promise<string> {
    const blocks = [{ type: 'text', text }];
    const asked = { loadClass: 'long_task', by: { actor: 'device:1' }, clientMessageId } as const;
    const name = { accountId: anAccount, id: threadId };
    return (await threads.prompt(name, { blocks, ...asked })).turnId;
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
    const runs = readTrace(this.trace);
    assert.equal(runs.length, 1, 'agents were started');
    assert.deepEqual(runs[0]?.lines, expectedLines(sent));
    assert.deepEqual(this.violations, []);
  }

  async close(): Promise<void> {
    if (!existsSync(this.dir)) return;
    for (const gateway of this.#gateways) await gateway.lose();
    const supervisor = await createSupervisor({ stateDir: this.stateDir, adoption: 'adopt' });
    for (const { runId, treeEndedAtMs } of supervisor.list()) {
      if (treeEndedAtMs !== undefined) continue;
      const run = await supervisor.attach(runId);
      // Its shim may just be leaving.
      await run.cancel().catch(() => supervisor.reconcile());
      await run.waitTree();
    }
    await supervisor.close();
    rmSync(this.dir, { recursive: true, force: true });
  }
}
