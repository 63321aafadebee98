/*
 * Gateways without a network: each has a supervisor and threads of its own over one state directory and one database, and can be lost or
 * frozen at any named point. The agent is a real process that plays a script.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { agentVariables, type EventRow, type ThreadName } from '@clawdfather/agents';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { DatabaseSync } from 'node:sqlite';
import { createSupervisor, type Supervisor } from '@clawdfather/supervisor';
import {
  expectedLines,
  fakeAgentCommand,
  readTrace,
  type Script,
  writeScript,
} from '@clawdfather/testkit';
import {
  type AgentStarter,
  type CrashPoint,
  createEventDesk,
  createThreads,
  type HostTools,
  silentThreadsObserver,
  type Threads,
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
}

export class ThreadsRig {
  readonly dir = mkdtempSync(join(tmpdir(), 'clf-threads-'));
  readonly database = new MemoryRecords();
  readonly gates = join(this.dir, 'gates');
  readonly trace = join(this.dir, 'trace');
  readonly stateDir = join(this.dir, 'state');
  /* What was delivered or acknowledged before it was committed. */
  readonly violations: string[] = [];
  readonly #script: string;
  readonly #gateways = new Set<TestGateway>();

  readonly #tools: HostTools | undefined;

  /* `tools`: it runs on a host, which these stand for. */
  constructor(t: TestContext, script: Script, tools?: HostTools) {
    this.#tools = tools;
    this.#script = writeScript(join(this.dir, 'script'), script);
    t.after(() => this.close());
  }

  async gateway({ lostAt, frozenAt, onPoint }: GatewayOptions = {}): Promise<TestGateway> {
    const supervisor = await createSupervisor({ stateDir: this.stateDir, adoption: 'adopt' });
    const guard = createGuard(this.database, this.violations);
    let points = 0;
    const passPoint = (point: CrashPoint): void => {
      points += 1;
      onPoint?.(point, points);
      if (!guard.hasStopped() && (points === lostAt || point === lostAt)) guard.lose();
      if (points === frozenAt || point === frozenAt) guard.freeze();
      guard.throwIfLost();
    };
    const threads = createThreads({
      recordsOf: () => guard.records,
      due: guard.due,
      desk: createEventDesk(),
      supervisor: guard.supervisor(supervisor),
      starter: this.#starter(supervisor, guard),
      observer: silentThreadsObserver,
      clock,
      random,
      log: silentLog,
      activeMax: 20,
      onPoint: passPoint,
    });
    const gateway: TestGateway = {
      threads,
      supervisor,
      hasStopped: guard.hasStopped,
      thaw: guard.thaw,
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
    return {
      plan: async () => ({
        setup: { clientVersion: '0', mcpServers: [], servesHost: this.#tools !== undefined },
        tools: this.#tools && guard.tools(this.#tools),
        commandHash: 'fake',
        program: { root: dirname(process.execPath), path: process.execPath },
        sessionId: undefined,
        start: async ({ runId, leaseId, commandHash }) => {
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
            leftovers: 'end',
            journal: { mode: 'hold', bytesMax: 16 * 1024 * 1024 },
          });
          await guard.pass();
          return guard.run(started);
        },
      }),
    };
  }

  async ask(threads: Threads, text: string): Promise<ThreadName & { readonly turnId: string }> {
    const given = { agent: 'fake', cwd: this.dir, title: text };
    const { id } = await threads.create(anAccount, given);
    return { accountId: anAccount, id, turnId: await this.say(threads, id, text) };
  }

  /* The same message twice is one turn. */
  async say(
    threads: Threads,
    threadId: string,
    text: string,
    clientMessageId?: string,
  ): Promise<string> {
    const blocks = [{ type: 'text', text }];
    const asked = { loadClass: 'long_task', requester: 'device:1', clientMessageId } as const;
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
      await run.cancel();
      await run.waitTree();
    }
    await supervisor.close();
    rmSync(this.dir, { recursive: true, force: true });
  }
}
