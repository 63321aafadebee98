/*
 * An agent that asks, on paper: a thread in memory, a journal that grows, an input that keeps what it has, a gateway that consumes when it
 * is told to, and nobody else.
 */
import assert from 'node:assert/strict';
import {
  type AgentSetup,
  type AskRow,
  admitTurn,
  beginRun,
  consume,
  createWireReader,
  enqueueTurn,
  holdRun,
  noText,
  type ThreadChange,
  type ThreadRows,
} from '@clawdfather/agents';
import { type AsksHere, createAsksHere } from '@clawdfather/agents/asks';
import type { AccountId } from '@clawdfather/kit';
import { type Cursor, type ManagedRun, outputStart, type RunRecord } from '@clawdfather/supervisor';
import { createPaperJournal, type Said } from './paper-journal.ts';
import { aRunId, ThreadModel } from './thread-model.ts';

const setup: AgentSetup = { clientVersion: '0', mcpServers: [] };
const process = { rootPid: 10, processGroupId: 10, startTicks: 1, bootId: 'boot' };
const instanceId = 'one';
const threadName = { accountId: 'account' as AccountId, id: 'thread' };

export const line = (value: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...value })}\n`;

export const permission = (id: number | string, title = 'rm x'): string =>
  line({
    id,
    method: 'session/request_permission',
    params: { toolCall: { title }, options: [{ optionId: 'yes' }, { optionId: 'no' }] },
  });

export const chunk = (text: string): string => {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
  return line({ method: 'session/update', params: { sessionId: 's', update } });
};

export const withdrawn = (requestId: number | string): string =>
  line({ method: '$/cancel_request', params: { requestId } });

/* Of the prompt: the handshake has used two ids. */
export const turnEnd = line({ id: 3, result: { stopReason: 'end_turn' } });

export class AskedAgent {
  readonly model = new ThreadModel();
  /* Also those that are over. */
  readonly stored = new Map<string, AskRow>();
  readonly asks: AsksHere;
  /* All that the agent has received. */
  input = '';
  hasEnded = false;
  /* Called once, before the next commit without a gateway. */
  beforeCommit: (() => void) | undefined;
  /* Why input is not taken. */
  deafBecause: Error | undefined;
  readonly #said: Said[] = [];

  constructor() {
    const turn = { id: 'turn', prompt: [], loadClass: 'long_task', requester: 'device:1' } as const;
    const program = { programRoot: '/opt', programPath: '/opt/agent' };
    const run = { runId: aRunId, leaseId: 'lease', instanceId, commandHash: 'hash', ...program };
    this.#commit(enqueueTurn(this.rows, turn, 1));
    this.#commit(admitTurn(this.rows, 2));
    this.#commit(beginRun(this.rows, { ...run, sessionId: undefined }, 3));
    const held = { runId: aRunId, epoch: 1, process };
    this.#commit(holdRun(this.rows, held, { setup, atMs: 4 }));
    this.say(line({ id: 1, result: { protocolVersion: 1, agentCapabilities: {} } }));
    this.consume();
    this.say(line({ id: 2, result: { sessionId: 'native' } }));
    this.consume();
    assert.equal(this.rows.turn?.promptCall, 3);
    this.asks = this.#createAsks();
  }

  get rows(): ThreadRows {
    return this.model.rows;
  }

  /* Frames of the journal, as they are given. */
  say(...pieces: readonly (string | Uint8Array)[]): void {
    for (const piece of pieces) this.#said.push({ stream: 'stdout', bytes: Buffer.from(piece) });
  }

  /* A gateway reads all that was said. */
  consume(): void {
    const from = this.rows.run?.cursor ?? outputStart;
    const reader = createWireReader(from);
    const steps = this.#journal(from).flatMap((event) => reader.push(event));
    if (steps.length === 0) return;
    const batch = { runId: aRunId, epoch: 1, from, steps };
    const step = consume(this.rows, batch, { setup, text: noText(), atMs: 50 });
    assert.equal(step.outcome, 'consumed');
    this.#commit(step.change);
  }

  /* What happened to asks, in the order in which people are told. */
  states(): readonly unknown[] {
    return this.model.events
      .filter(({ type }) => type === 'approval' || type === 'question')
      .map(({ payload: { state } }) => state);
  }

  /* What was committed for it. */
  committed(): string {
    return this.model.frames.map(({ text }) => text).join('');
  }

  #journal(from: Cursor) {
    return createPaperJournal(this.#said).readFrom(from);
  }

  #commit(change: ThreadChange | undefined): void {
    for (const ask of change?.rows.asks.values() ?? []) this.stored.set(ask.id, ask);
    this.model.commit(change);
  }

  #createAsks(): AsksHere {
    const journal = (from: Cursor) => this.#journal(from);
    const run: Pick<ManagedRun, 'outputSoFar' | 'write'> = {
      async *outputSoFar(from = outputStart) {
        // As a reader of output has it: without what was accepted.
        for (const event of journal(from)) if (event.kind === 'output') yield event;
      },
      write: async (data, options) => this.#write(String(data), options?.offset ?? 0),
    };
    return createAsksHere({
      recordsOf: () => ({
        load: async () => this.rows,
        get: async () => this.rows.thread,
        ask: async (id) => {
          const ask = this.stored.get(id);
          return ask && { ...ask, threadId: threadName.id };
        },
        frames: async (_runId, from) =>
          this.model.frames.filter(
            ({ inputOffset, text }) => inputOffset + Buffer.byteLength(text) > from,
          ),
        commit: async (before, change) => {
          const interfere = this.beforeCommit;
          this.beforeCommit = undefined;
          interfere?.();
          if (before.thread.version !== this.rows.thread.version) return 'conflict';
          this.#commit(change);
          return 'committed';
        },
      }),
      due: { withRuns: async (instance) => (instance === instanceId ? [threadName] : []) },
      supervisor: {
        instanceId,
        get: () => ({ exit: this.hasEnded ? {} : undefined }) as RunRecord,
        attach: async () => run as ManagedRun,
      },
      clock: { wallMs: () => 100 },
    });
  }

  /* As a shim takes it: what it has is dropped, and there are no holes. */
  #write(text: string, offset: number): void {
    if (this.deafBecause !== undefined) throw this.deafBecause;
    assert.ok(offset <= this.input.length, 'a hole in the input');
    assert.equal(
      this.input.slice(offset, offset + text.length),
      text.slice(0, this.input.length - offset),
    );
    this.input += text.slice(this.input.length - offset);
  }
}
