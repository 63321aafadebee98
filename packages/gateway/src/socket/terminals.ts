/*
 * The `terminal.*` messages of one socket: which runs it follows, and what it types into them.
 */
import type { runClientMessageSchema } from '@clawdfather/protocol/api';
import type { Cursor, RunExit, RunId, RunRecord } from '@clawdfather/supervisor';
import { bytesOf } from '@clawdfather/tools';
import { exitJson } from '@clawdfather/supervisor/exit-json';
import type { z } from 'zod';
import { ApiError, notFound } from '../http/api-error.ts';
import type { LiveHub } from '../live/live-hub.ts';
import type { CallerRuns } from '../runs/caller-runs.ts';
import { type AttachedRun, openAttachedRun } from './attached-run.ts';
import { HeldSizes } from './held-sizes.ts';
import { attachedRunsMax } from './limits.ts';
import type { Outbox } from './outbox.ts';
import type { SharedRuns } from './shared-runs.ts';
import { toRefusal } from './to-refusal.ts';

export type TerminalMessage = Extract<
  z.infer<typeof runClientMessageSchema>,
  { type: `terminal.${string}` }
>;
type Message<Name extends string> = Extract<TerminalMessage, { type: `terminal.${Name}` }>;

export interface TerminalsDeps {
  /* The actions of the socket's caller. */
  readonly runs: Pick<CallerRuns, 'look' | 'drive'>;
  readonly outbox: Outbox;
  readonly hub: LiveHub;
  readonly sharedRuns: SharedRuns;
  /* The one run of this socket; undefined where messages name theirs. */
  readonly ownRunId: string | undefined;
  /* Bytes on their way to runs have become so many more, or fewer. */
  readonly onInput: (bytes: number) => void;
  readonly onRunEnded: () => void;
  readonly onRunLost: () => void;
}

export class Terminals {
  readonly #deps: TerminalsDeps;
  readonly #attached = new Map<RunId, AttachedRun>();
  readonly #sizes: HeldSizes;
  /* Each takes back input that still waits for its turn. */
  readonly #waiting = new Set<() => void>();
  #isClosed = false;

  constructor(deps: TerminalsDeps) {
    this.#deps = deps;
    this.#sizes = new HeldSizes(deps.sharedRuns);
  }

  /* Throws for what is refused. */
  async handle(message: TerminalMessage): Promise<void> {
    switch (message.type) {
      case 'terminal.attach':
        return this.#attach(message);
      case 'terminal.input':
        return this.#input(message);
      case 'terminal.resize':
        return this.#resize(message);
      case 'terminal.fit':
        return this.#fit(message);
      case 'terminal.unfit':
        return this.#unfit(message);
      case 'terminal.detach':
        return this.#detach(this.#runIdOf(message));
    }
  }

  drained(): void {
    for (const run of this.#attached.values()) run.drained();
  }

  close(): void {
    this.#isClosed = true;
    for (const takeBack of this.#waiting) takeBack();
    for (const runId of this.#attached.keys()) this.#detach(runId);
    this.#sizes.close();
  }

  #runIdOf({ run_id: named }: TerminalMessage): RunId {
    const { ownRunId } = this.#deps;
    const runId = named ?? ownRunId;
    if (runId === undefined) throw new ApiError('validation_error', 'run_id: is missing');
    if (ownRunId !== undefined && runId !== ownRunId) throw notFound();
    return runId as RunId;
  }

  /* Looked up for each message: it may have been removed since. */
  #driven(message: TerminalMessage): RunRecord {
    return this.#deps.runs.drive(this.#runIdOf(message));
  }

  async #attach(message: Message<'attach'>): Promise<void> {
    const { runs, sharedRuns, hub, outbox } = this.#deps;
    const { runId } =
      message.as === 'terminal' ? this.#driven(message) : runs.look(this.#runIdOf(message));
    this.#detach(runId);
    if (this.#attached.size >= attachedRunsMax) {
      throw new ApiError('run_limit_reached', `a socket follows at most ${attachedRunsMax} runs`);
    }
    const shared = await sharedRuns.acquire(runId);
    const attached = await openAttachedRun(
      {
        hub,
        outbox,
        shared,
        onEnded: (exit) => this.#ended(runId, exit),
        onLost: (error) => this.#lost(runId, error),
      },
      { from: message.cursor as Cursor | undefined, isBinary: message.binary, as: message.as },
    );
    if (this.#isClosed) attached.close();
    else this.#attached.set(runId, attached);
    attached.follow();
  }

  async #input(message: Message<'input'>): Promise<void> {
    const { sharedRuns, onInput } = this.#deps;
    const { runId } = this.#driven(message);
    const bytes = bytesOf(message.data, message.encoding);
    if (bytes === undefined) throw new ApiError('validation_error', 'data: this is not base64');
    const shared = this.#attached.get(runId)?.shared.share() ?? (await sharedRuns.acquire(runId));
    onInput(bytes.length);
    const takeBack = shared.input({
      bytes,
      isEof: message.eof,
      onSettled: (failure) => {
        this.#waiting.delete(takeBack);
        onInput(-bytes.length);
        shared.release();
        this.#answerInput(runId, message.input_id, failure);
      },
    });
    this.#waiting.add(takeBack);
  }

  #answerInput(runId: RunId, inputId: string | undefined, failure: unknown): void {
    const { outbox } = this.#deps;
    if (failure === 'dropped') return;
    if (failure !== undefined) {
      const { code, message } = toRefusal(failure);
      outbox.send({
        type: 'error',
        code,
        message,
        run_id: runId,
        about: 'terminal.input',
        ...(inputId === undefined ? {} : { input_id: inputId }),
      });
    } else if (inputId !== undefined) {
      outbox.send({ type: 'terminal.input_ack', run_id: runId, input_id: inputId });
    }
  }

  async #resize(message: Message<'resize'>): Promise<void> {
    const { runId } = this.#driven(message);
    const role = this.#attached.get(runId)?.role;
    if (role === undefined) {
      throw new ApiError('forbidden', 'who looks on at a terminal does not change its size', {
        hint: 'Attach as a terminal, or say terminal.fit: it holds a size until you leave.',
      });
    }
    const { cols, rows } = message;
    await role.resize({ cols, rows });
  }

  async #fit(message: Message<'fit'>): Promise<void> {
    const { runId, mode } = this.#driven(message);
    if (mode === 'child') throw new ApiError('validation_error', 'this run has no terminal');
    const { cols, rows } = message;
    await this.#sizes.hold(runId, { cols, rows });
    this.#deps.outbox.send({ type: 'terminal.fitted', run_id: runId, size: { cols, rows } });
  }

  async #unfit(message: Message<'unfit'>): Promise<void> {
    const runId = this.#runIdOf(message);
    await this.#sizes.letGo(runId);
    this.#deps.outbox.send({ type: 'terminal.fitted', run_id: runId, size: null });
  }

  #detach(runId: RunId): void {
    this.#attached.get(runId)?.close();
    this.#attached.delete(runId);
  }

  #ended(runId: RunId, exit: RunExit): void {
    if (!this.#attached.has(runId)) return;
    this.#detach(runId);
    this.#deps.outbox.send({ type: 'run_ended', run_id: runId, exit: exitJson(exit) });
    this.#deps.onRunEnded();
  }

  #lost(runId: RunId, error: unknown): void {
    if (!this.#attached.has(runId)) return;
    this.#detach(runId);
    const { code, message } = toRefusal(error);
    const about = 'terminal.attach';
    this.#deps.outbox.send({ type: 'error', code, message, run_id: runId, about });
    if (code !== 'validation_error') this.#deps.onRunLost();
  }
}
