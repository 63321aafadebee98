/*
 * A supervisor with real runs, and readers that are as slow as a test wants.
 */
import { createHash, type Hash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { createSupervisor, type ManagedRun, type Supervisor } from '@clawdfather/supervisor';
import type { Chunk } from '../../src/live/chunk.ts';
import type { Following, LiveHub } from '../../src/live/live-hub.ts';
import type { Cursor } from '@clawdfather/supervisor';

export interface TestRuns extends AsyncDisposable {
  readonly supervisor: Supervisor;
  sh(script: string): Promise<ManagedRun>;
}

export async function openTestRuns(): Promise<TestRuns> {
  const directory = await mkdtemp(join(tmpdir(), 'clf-live-'));
  const supervisor = await createSupervisor({
    stateDir: join(directory, 'state'),
    launcher: 'spawnd',
    adoption: 'adopt',
    clock: createSystemClock(),
    random: createSystemRandom(),
    log: silentLog,
  });
  const runs: ManagedRun[] = [];
  return {
    supervisor,
    sh: async (script) => {
      const run = await supervisor.spawn({
        mode: 'child',
        argv: ['/bin/sh', '-c', script],
        sessionId: 'test',
        backendId: 'exec',
        cwd: directory,
        env: { PATH: '/usr/bin:/bin' },
        overallTimeoutMs: 120_000,
      });
      runs.push(run);
      return run;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(runs.map((run) => run.cancel('manual-cancel', 'test', 0)));
      await Promise.all(runs.map((run) => run.wait()));
      await supervisor.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/* Takes chunks; says it is full whenever `isFull` says so, until `open` is called. */
export class TestReader {
  readonly #hash: Hash = createHash('sha256');
  readonly #ended = Promise.withResolvers<void>();
  readonly #isFull: (reader: TestReader) => boolean;
  #following: Following | undefined;
  bytes = 0;
  chunks = 0;
  cursor: Cursor | undefined;
  isFullNow = false;
  /* Chunks that came although it had said that it was full. */
  unasked = 0;

  constructor(isFull: (reader: TestReader) => boolean = () => false) {
    this.#isFull = isFull;
  }

  follow(hub: LiveHub, run: ManagedRun, from?: Cursor): this {
    this.#following = hub.follow(run, from, {
      send: (chunk) => this.#take(chunk),
      ended: () => this.#ended.resolve(),
      lost: (error) => this.#ended.reject(error),
    });
    return this;
  }

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  open(): void {
    this.isFullNow = false;
    this.#following?.drained();
  }

  close(): void {
    this.#following?.close();
  }

  sha256(): string {
    return this.#hash.copy().digest('hex');
  }

  #take(chunk: Chunk): boolean {
    if (this.isFullNow) this.unasked += 1;
    if (this.cursor !== undefined && chunk.before !== this.cursor) {
      this.#ended.reject(new Error(`a seam: ${chunk.before} after ${this.cursor}`));
    }
    this.cursor = chunk.after;
    if (chunk.kind === 'data') {
      this.chunks += 1;
      this.bytes += chunk.payloadBytes;
      this.#hash.update(chunk.binary.subarray(chunk.binary.length - chunk.payloadBytes));
    }
    this.isFullNow = this.#isFull(this);
    return !this.isFullNow;
  }
}
