/*
 * The handle callers hold: the same for a run of ours and for a run of another owner (O4).
 *
 * Input: by default bytes are typed, accepted once by a living shim. `durable` commits them to the outbox first and
 * sends them at their offset, so that a crash in between neither loses nor doubles them (I1); only the owner may. With
 * an `offset` the caller may send the same bytes again after it has died or missed the answer.
 * A call that waits keeps the process alive; the handle alone does not.
 */
import { orAborted } from '@clawdfather/kit';
import { parseCursor } from '@clawdfather/shim';
import type { RunExit, TreeEnd } from '../../run-end.ts';
import type {
  CancelReason,
  Cursor,
  ManagedRun,
  RunId,
  RunRecord,
  TerminalRole,
  WriteOptions,
} from '../../types.ts';
import { SupervisorError } from '../../errors.ts';
import { type ControlLine, isShimGoneError } from '../shim-link/control-line.ts';
import type { EndingSignal } from '../wait/ending-signal.ts';
import type { KeepAlive } from '../wait/keep-alive.ts';
import { refusalOf, unlessOver } from '../shim-link/refusal.ts';
import { openSizeHold } from '../input/held-size.ts';
import { openTerminalRole } from '../input/terminal-role.ts';
import {
  type OutputSource,
  outputStart,
  readOutput,
  readTranscript,
} from '../output/read-output.ts';
import { agentBackend } from '../../origins.ts';
import { signalNumberOf } from './signal-number.ts';

export interface CancelRequest {
  readonly reason: CancelReason;
  readonly actor: string;
  readonly graceMs: number | undefined;
}

export interface RunCore {
  readonly runId: RunId;
  readonly pid: () => number;
  readonly control: ControlLine;
  readonly keepAlive: KeepAlive;
  readonly source: OutputSource;
  readonly settled: Promise<RunExit>;
  readonly ending: EndingSignal;
  readonly actor: string;
  readonly cancel: (request: CancelRequest) => Promise<void>;
  /* Nothing of it lives any more. */
  readonly treeGone: () => Promise<TreeEnd | undefined>;
  /* Undefined: not ours to promise delivery for. */
  readonly writeDurably: ((bytes: Uint8Array) => Promise<void>) | undefined;
  readonly writeAt: (bytes: Uint8Array, offset: number) => Promise<void>;
  readonly snapshot: () => RunRecord;
}

/* `start`: where output is read from when the caller names no cursor. */
export function createManagedRun(core: RunCore, start: Cursor = outputStart): ManagedRun {
  const { runId, control, actor, source, keepAlive } = core;
  return {
    runId,
    get pid() {
      return core.pid();
    },
    get ending() {
      return core.ending.signal;
    },
    wait: async (signal) => {
      using _alive = keepAlive.hold();
      return await withSignal(core.settled, signal);
    },
    output: (cursor = start, signal) =>
      readOutput(source, cursor, { keepAlive, signal, isFollowing: true }),
    outputLent: (cursor = start, signal) =>
      readOutput(source, cursor, { keepAlive, signal, isFollowing: true, isLent: true }),
    outputSoFar: (cursor = start, signal) =>
      readOutput(source, cursor, { keepAlive, signal, isFollowing: false }),
    transcript: (cursor = start, signal) => readTranscript(source, cursor, { keepAlive, signal }),
    waitTree: async (signal) => {
      using _alive = keepAlive.hold();
      return await withSignal(core.treeGone(), signal);
    },
    /* The connection that brings the answer keeps the process alive (kept-link.ts). */
    write: (data, options) =>
      write(core, typeof data === 'string' ? Buffer.from(data) : data, options),
    acknowledge: (cursor) => acknowledge(core, cursor),
    end: async (offset) => {
      if (offset === undefined) refuseToAgent(core);
      await control.request({ type: 'eof', offset: offset ?? 'now' }).catch(unlessOver);
    },
    resize: async ({ cols, rows }) =>
      void (await control.request({ type: 'resize', cols, rows }).catch(unlessOver)),
    holdSize: (size) => openSizeHold(control, size).catch(refuse),
    signal: async (name, by = actor) => {
      const number = signalNumberOf(name);
      await control.request({ type: 'signal', number, actor: by }).catch(refuse);
    },
    cancel: (reason = 'manual-cancel', by = actor, graceMs) =>
      core.cancel({ reason, actor: by, graceMs }),
    openTerminal: (): Promise<TerminalRole> => openTerminalRole(control).catch(refuse),
    snapshot: core.snapshot,
  };
}

/* Only whole frames below the cursor count: the shim drops segments, never parts of them. */
async function acknowledge(core: RunCore, cursor: Cursor): Promise<void> {
  if (core.writeDurably === undefined) throw notOwner(core.runId);
  const { offset } = parseCursor(cursor);
  await core.control.request({ type: 'consumed', offset }).catch((error: unknown) => {
    if (!isShimGoneError(error)) refuse(error); /* it is over: nothing is held any more */
  });
}

async function write(core: RunCore, bytes: Uint8Array, options: WriteOptions = {}): Promise<void> {
  if (options.offset !== undefined) return core.writeAt(bytes, options.offset);
  refuseToAgent(core);
  if (options.durable !== true) {
    await core.control.input(bytes, 'typed').catch(refuse);
    return;
  }
  if (core.writeDurably === undefined) {
    throw notOwner(core.runId);
  }
  await core.writeDurably(bytes);
}

/* W4: what is typed in between would become part of a message to the agent. What has an offset comes from its outbox. */
function refuseToAgent({ runId, snapshot }: RunCore): void {
  if (snapshot().backendId !== agentBackend) return;
  throw new SupervisorError(
    'input-refused',
    `run ${runId} is an agent, which only its gateway writes to`,
    {
      detail: { runId },
      hint: 'Talk to it in its thread: clf say THREAD "…".',
    },
  );
}

function notOwner(runId: RunId): SupervisorError {
  return new SupervisorError('not-owner', `run ${runId} belongs to another supervisor`, {
    detail: { runId },
    hint: 'Only its owner can promise that input arrives once, or let go of held output.',
  });
}

function refuse(error: unknown): never {
  throw refusalOf(error);
}

function withSignal<Value>(promise: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  return signal === undefined ? promise : orAborted(promise, signal);
}
