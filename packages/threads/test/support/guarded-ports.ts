/*
 * The ports of one gateway, which can be lost or frozen: lost, they throw; frozen, every call waits until it is thawed, before it is made
 * and after. So a gateway in this process behaves as one that was killed, or stopped by a signal.
 *
 * They also look at the order of things: what is written to an agent, and what is acknowledged of its journal, has to be committed.
 */
import type { DueThreads, QueueRecords, ThreadRecords } from '@clawdfather/agents';
import { compareCursors, type ManagedRun, type Supervisor } from '@clawdfather/supervisor';
import type { HostTools } from '@clawdfather/threads';
import type { MemoryRecords } from './memory-records.ts';

type SupervisorPort = Pick<Supervisor, 'get' | 'attach' | 'examine' | 'instanceId' | 'generation'>;

export interface Guard {
  readonly records: ThreadRecords;
  readonly due: DueThreads;
  readonly queue: QueueRecords;
  supervisor(real: Supervisor): SupervisorPort;
  run(real: ManagedRun): ManagedRun;
  tools(real: HostTools): HostTools;
  /* Resolves when it is not frozen; throws when it is lost. */
  pass(): Promise<void>;
  lose(): void;
  freeze(): void;
  thaw(): void;
  throwIfLost(): void;
  hasStopped(): boolean;
}

export function createGuard(database: MemoryRecords, violations: string[]): Guard {
  let isLost = false;
  let frozen: PromiseWithResolvers<void> | undefined;
  const throwIfLost = (): void => {
    if (isLost) throw new Error('this gateway is lost');
  };
  const thaw = (): void => {
    frozen?.resolve();
    frozen = undefined;
  };
  const pass = async (): Promise<void> => {
    while (frozen !== undefined) await frozen.promise;
    throwIfLost();
  };
  const run = (real: ManagedRun): ManagedRun =>
    around(real, {
      write: async (...args) => {
        await pass();
        const [text, options] = args;
        const offset = options?.offset ?? -1;
        if (!isCommitted(database, { runId: real.runId, offset, text: String(text) })) {
          violations.push(`written at ${offset} before it was committed: ${String(text)}`);
        }
        await real.write(...args);
        await pass();
      },
      acknowledge: async (cursor) => {
        await pass();
        const stored = cursorOf(database, real.runId);
        if (stored === undefined || compareCursors(cursor, stored) > 0) {
          violations.push(`acknowledged up to ${cursor}, and ${stored} is stored`);
        }
        await real.acknowledge(cursor);
        await pass();
      },
      cancel: async (...args) => {
        await pass();
        await real.cancel(...args);
      },
    });
  return {
    records: eachCall(database.records, pass),
    due: eachCall(database.due, pass),
    queue: eachCall(database.queue, pass),
    supervisor: (real) => ({
      instanceId: real.instanceId,
      get generation() {
        return real.generation;
      },
      get: (runId) => real.get(runId),
      examine: (...args) => real.examine(...args),
      attach: async (...args) => {
        await pass();
        const attached = await real.attach(...args);
        await pass();
        return run(attached);
      },
    }),
    run,
    tools: (real) => eachCall(real, pass),
    pass,
    lose: () => {
      isLost = true;
      thaw();
    },
    freeze: () => {
      frozen ??= Promise.withResolvers();
    },
    thaw,
    throwIfLost,
    hasStopped: () => isLost || frozen !== undefined,
  };
}

interface Written {
  readonly runId: string;
  readonly offset: number;
  readonly text: string;
}

function isCommitted({ threads }: MemoryRecords, { runId, offset, text }: Written): boolean {
  return [...threads.values()].some(({ frames }) =>
    frames.some(
      (frame) => frame.runId === runId && frame.inputOffset === offset && frame.text === text,
    ),
  );
}

function cursorOf({ threads }: MemoryRecords, runId: string) {
  return [...threads.values()]
    .flatMap(({ run, endedRuns }) => (run === undefined ? endedRuns : [run, ...endedRuns]))
    .find((one) => one.runId === runId)?.cursor;
}

/* Some methods changed, the others as they are: the real one has private parts, so they are called on it. */
function around<Target extends object>(target: Target, changed: Partial<Target>): Target {
  return new Proxy(target, {
    get: (_target, key) => {
      const own: unknown = Reflect.get(changed, key);
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function eachCall<Port extends object>(port: Port, pass: () => Promise<void>): Port {
  return new Proxy(port, {
    get: (_target, key) => {
      const call: unknown = Reflect.get(port, key);
      if (typeof call !== 'function') return call;
      return async (...args: readonly unknown[]): Promise<unknown> => {
        await pass();
        const answer: unknown = await Reflect.apply(call, port, args);
        await pass();
        return answer;
      };
    },
  });
}
