/*
 * Gateways without a network: each has a supervisor and threads of its own over one state directory and one database, and can be lost at
 * any named point. The agent is a real process that plays a script.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { EventRow, ThreadName } from '@clawdfather/agents';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
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
  silentThreadsObserver,
  type Threads,
} from '@clawdfather/threads';
import { anAccount, MemoryRecords } from './memory-records.ts';

export const clock = createSystemClock();
const random = createSystemRandom();

export interface TestGateway {
  readonly threads: Threads;
  readonly supervisor: Supervisor;
  /* As by kill -9: nothing of it does anything any more. */
  lose(): Promise<void>;
}

export interface GatewayOptions {
  /* Lost at this crash point, counted from 1. */
  readonly lostAt?: number;
  readonly onLost?: () => void;
}

export class ThreadsRig {
  readonly dir = mkdtempSync(join(tmpdir(), 'clf-threads-'));
  readonly database = new MemoryRecords();
  readonly gates = join(this.dir, 'gates');
  readonly trace = join(this.dir, 'trace');
  readonly #script: string;
  readonly #gateways = new Set<TestGateway>();
  /* How many points the last gateway has passed. */
  points = 0;

  constructor(t: TestContext, script: Script) {
    this.#script = writeScript(join(this.dir, 'script'), script);
    t.after(() => this.close());
  }

  async gateway({ lostAt = Infinity, onLost }: GatewayOptions = {}): Promise<TestGateway> {
    const supervisor = await createSupervisor({
      stateDir: join(this.dir, 'state'),
      adoption: 'adopt',
    });
    let isLost = false;
    this.points = 0;
    const onPoint = (_point: CrashPoint): void => {
      this.points += 1;
      if (!isLost && this.points === lostAt) {
        isLost = true;
        onLost?.();
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
      observer: silentThreadsObserver,
      clock,
      random,
      log: silentLog,
      activeMax: 20,
      onPoint,
    });
    const gateway: TestGateway = {
      threads,
      supervisor,
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
        sessionId: undefined,
        start: ({ runId }) =>
          supervisor.spawn({
            mode: 'child',
            runId,
            argv: fakeAgentCommand({
              script: this.#script,
              gates: this.gates,
              trace: this.trace,
            }),
            cwd: this.dir,
            env: {},
            sessionId: 'threads',
            backendId: 'agent',
            overallTimeoutMs: 120_000,
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
