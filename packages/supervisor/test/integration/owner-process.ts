/*
 * A supervisor in a process of its own, steered from a test: it can be killed, stopped, and woken again.
 *
 * The program is fixtures/owner.ts. Calls and answers are lines of JSON on its standard input and output; an answer
 * that is an error rejects with its code. JSON drops what is `undefined`. When the process ends, everything that waits for it rejects.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CodedError } from '@clawdfather/kit';
import type {
  ReconcileDecision,
  RunExit,
  RunRecord,
  SpawnInput,
  SupervisorEvent,
} from '@clawdfather/supervisor';
import type { CrashPlan } from './fixtures/crash-points.ts';
import { markVariable } from './process-table.ts';

export interface OwnerPlace {
  readonly stateDir: string;
  readonly binaryPath: string;
  readonly mark: string;
}

export interface OwnerOptions {
  readonly launcher?: 'spawnd' | 'direct';
  readonly adoption?: 'adopt' | 'record';
  readonly crash?: CrashPlan;
  /* A program that starts the owner: strace, prlimit, unshare. */
  readonly wrap?: readonly string[];
  readonly binaryPath?: string;
  readonly shimEnv?: Readonly<Record<string, string>>;
  /* False: `open` is called by the test. */
  readonly isOpened?: boolean;
}

/* What the program is told on its command line. */
export type OwnerSettings = OwnerPlace &
  Pick<OwnerOptions, 'launcher' | 'adoption' | 'crash' | 'shimEnv'>;

/* What can be asked of it. */
export interface OwnerCalls {
  open(): { readonly instanceId: string; readonly generation: number };
  spawn(input: SpawnInput): { readonly runId: string; readonly pid: number };
  attach(runId: string): { readonly pid: number };
  wait(runId: string): RunExit;
  /* All of its output as text, from a cursor, to its end. */
  output(runId: string, cursor?: string): string;
  write(runId: string, text: string, isDurable: boolean): void;
  end(runId: string): void;
  cancel(runId: string): void;
  signal(runId: string, name: NodeJS.Signals): void;
  get(runId: string): RunRecord | undefined;
  reconcile(): readonly ReconcileDecision[];
  events(): readonly SupervisorEvent[];
  /* The next event of this type, past or to come. */
  until(type: SupervisorEvent['type']): SupervisorEvent;
  close(): void;
  /* Opens files until there is no descriptor left; gives them back. */
  hoardDescriptors(): void;
  releaseDescriptors(): void;
  /* The crash points that were passed so far. */
  steps(): readonly string[];
}

type Call<Name extends keyof OwnerCalls> = OwnerCalls[Name] extends (...args: infer A) => infer R
  ? { readonly args: A; readonly result: R }
  : never;

export interface OwnerProcess {
  readonly pid: number;
  readonly hasEnded: boolean;
  call<Name extends keyof OwnerCalls>(
    name: Name,
    ...args: Call<Name>['args']
  ): Promise<Call<Name>['result']>;
  /* By SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  send(signal: NodeJS.Signals): void;
  /* The signal or exit code it ended by. */
  readonly ended: Promise<string | number>;
}

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

const program = fileURLToPath(new URL('./fixtures/owner.ts', import.meta.url));
/* Stripping types anew in each of some hundred processes is most of their start. */
const compileCache = fileURLToPath(
  new URL('../../../../node_modules/.cache/clawdfather-tests', import.meta.url),
);

export async function startOwner(place: OwnerPlace, options: OwnerOptions): Promise<OwnerProcess> {
  const { wrap = [], isOpened = true, ...rest } = options;
  const settings: OwnerSettings = { ...place, ...rest };
  const node = [process.execPath, '--conditions=@clawdfather/source', program];
  const [command, ...args] = [...wrap, ...node, JSON.stringify(settings)];
  const child = spawn(command ?? '', args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, [markVariable]: place.mark, NODE_COMPILE_CACHE: compileCache },
  });
  const owner = steer(child);
  if (isOpened) await owner.call('open');
  return owner;
}

function steer(child: ChildProcess): OwnerProcess {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let nextId = 1;
  let hasEnded = false;
  const ended = once(child, 'close').then(([code, signal]) => {
    hasEnded = true;
    const how = signal === null ? Number(code) : String(signal);
    for (const { reject } of waiting.values()) reject(new Error(`the owner ended: ${how}`));
    waiting.clear();
    return how;
  });
  /* A start that failed is told by `close` too. */
  child.on('error', () => {});
  child.stdin?.on('error', () => {});
  if (child.stdout !== null) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const answer = JSON.parse(line) as Answer;
      const { error } = answer;
      const request = waiting.get(answer.id);
      waiting.delete(answer.id);
      if (error === undefined) request?.resolve(answer.value);
      else request?.reject(new CodedError(error.code, error.message));
    });
  }
  return {
    pid: child.pid ?? 0,
    get hasEnded() {
      return hasEnded;
    },
    ended,
    call: (name, ...args) => {
      const request = Promise.withResolvers<never>();
      if (hasEnded) request.reject(new Error('the owner has ended'));
      else {
        waiting.set(nextId, request as unknown as PromiseWithResolvers<unknown>);
        child.stdin?.write(`${JSON.stringify({ id: nextId, name, args })}\n`);
        nextId += 1;
      }
      return request.promise;
    },
    kill: async () => {
      if (!hasEnded) child.kill('SIGKILL');
      child.stdin?.destroy();
      await ended;
    },
    send: (signal) => void child.kill(signal),
  };
}
