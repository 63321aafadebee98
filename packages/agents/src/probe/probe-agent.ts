/*
 * Tries an agent that was just started: the handshake of a thread and, if it is to say something, one turn. The decisions are those of
 * threads, over rows that are kept nowhere, so what works here works there.
 *
 * Stages: a turn that waits for the agent → the handshake, step by step → the prompt, or the end before it is sent. What the agent asks
 * meanwhile is answered as cancelled. Ending the process is the caller's.
 */
import { type Clock, hasCode, type Timer } from '@clawdfather/kit';
import type { ManagedRun } from '@clawdfather/supervisor';
import { beginRun, holdRun } from '../decide/agent-run.ts';
import { answerAsk } from '../decide/answer-ask.ts';
import { consume } from '../decide/consume.ts';
import type { AgentSetup } from '../decide/handshake.ts';
import { authRequired } from '../decide/handshake.ts';
import { type MessageText, noText } from '../decide/message-text.ts';
import { admitTurn, enqueueTurn } from '../decide/turns.ts';
import type { RunPhase, ThreadChange, ThreadRows } from '../rows.ts';
import { isObject, type JsonObject } from '../wire/json-rpc.ts';
import { createWireReader, type WireItem, type WireStep } from '../wire/wire-reader.ts';
import { keepLines } from './last-lines.ts';
import type { ProbeOutcome, ProbeResult, ProbeStep, ProbeStepName } from './probe-result.ts';

export interface ProbeDeps {
  readonly run: Pick<ManagedRun, 'runId' | 'transcript' | 'write' | 'snapshot'>;
  readonly agent: string;
  readonly cwd: string;
  readonly setup: AgentSetup;
  /* Absent: it is asked nothing. */
  readonly prompt?: string | undefined;
  /* For one step. */
  readonly stepMs: number;
  readonly clock: Clock;
  readonly onStep?: ((step: ProbeStep) => void) | undefined;
}

/* Each phase is the wait for one step. */
const stepOf: Readonly<Record<RunPhase, ProbeStepName>> = {
  starting: 'initialize',
  initializing: 'initialize',
  authenticating: 'authenticate',
  resuming: 'session',
  loading: 'session',
  creating: 'session',
  ready: 'prompt',
  failed: 'session',
  once: 'prompt',
};

export async function probeAgent(deps: ProbeDeps, signal: AbortSignal): Promise<ProbeResult> {
  return new Probe(deps).go(signal);
}

class Probe {
  readonly #deps: ProbeDeps;
  #rows: ThreadRows;
  #text: MessageText = noText();
  #step: ProbeStepName = 'initialize';
  #stepAtMs: number;
  #timer: Timer | undefined;
  readonly #tooSlow = new AbortController();
  readonly #steps: ProbeStep[] = [];
  readonly #stderr: string[] = [];
  readonly #noise: string[] = [];
  #signInWays: readonly JsonObject[] = [];
  #hasSpoken = false;
  #isAuthRequired = false;
  #answer = '';

  constructor(deps: ProbeDeps) {
    this.#deps = deps;
    this.#rows = freshRows(deps);
    this.#stepAtMs = deps.clock.monotonicMs();
  }

  async go(outer: AbortSignal): Promise<ProbeResult> {
    const { run, setup, clock } = this.#deps;
    const signal = AbortSignal.any([outer, this.#tooSlow.signal]);
    this.#arm();
    try {
      const { runId } = run;
      const { epoch, pid = 0, startTicks = 0, bootId } = run.snapshot();
      const process = { rootPid: pid, processGroupId: pid, startTicks, bootId };
      const held = { runId, epoch, process };
      await this.#take(holdRun(this.#rows, held, { setup, atMs: clock.wallMs() }));
      return (await this.#converse(signal)) ?? this.#ended();
    } catch (error) {
      outer.throwIfAborted();
      if (this.#tooSlow.signal.aborted) return this.#slow();
      throw error;
    } finally {
      this.#timer?.cancel();
    }
  }

  /* Undefined: it has ended. */
  async #converse(signal: AbortSignal): Promise<ProbeResult | undefined> {
    const { run } = this.#deps;
    const cursor = this.#rows.run?.cursor;
    if (cursor === undefined) return undefined;
    const reader = createWireReader(cursor);
    for await (const event of run.transcript(cursor, signal)) {
      for (const step of reader.push(event)) {
        const result = await this.#hear(step);
        if (result !== undefined) return result;
      }
    }
    return undefined;
  }

  async #hear(step: WireStep): Promise<ProbeResult | undefined> {
    const { run, setup, clock, prompt } = this.#deps;
    for (const item of step.items) this.#note(item);
    const held = this.#rows.run;
    if (held === undefined) return undefined;
    const batch = { runId: run.runId, epoch: held.epoch, from: held.cursor, steps: [step] };
    const atMs = clock.wallMs();
    const consumed = consume(this.#rows, batch, { setup, text: this.#text, atMs });
    if (consumed.outcome !== 'consumed') throw new TypeError(`a probe is ${consumed.outcome}`);
    this.#text = consumed.text;
    const { change } = consumed;
    const isReady = change.rows.run?.phase === 'ready';
    if (isReady && prompt === undefined) {
      // The frame with the prompt is in this change, and stays here.
      this.#rows = change.rows;
      this.#next('prompt');
      return this.#result('works');
    }
    await this.#take(change);
    await this.#cancelAsks();
    return this.#judge(change);
  }

  #note(item: WireItem): void {
    if (item.kind === 'stderr') keepLines(this.#stderr, item.text);
    else if (item.kind === 'noise') keepLines(this.#noise, item.text);
    else if (item.kind === 'message') {
      this.#hasSpoken = true;
      const { message } = item;
      if (message.kind === 'error') this.#isAuthRequired = message.error.code === authRequired;
      if (message.kind !== 'result' || !isObject(message.result)) return;
      const { authMethods } = message.result;
      if (Array.isArray(authMethods)) this.#signInWays = authMethods.filter(isObject);
    }
  }

  async #take(change: ThreadChange | undefined): Promise<void> {
    if (change === undefined) throw new TypeError('a probe has nothing to do');
    this.#rows = change.rows;
    for (const { type, payload } of change.events) {
      const isText = type === 'delta' && payload['role'] === 'agent';
      if (isText && typeof payload['text'] === 'string') this.#answer += payload['text'];
    }
    const { phase } = change.rows.run ?? {};
    if (phase !== undefined && phase !== 'failed') this.#next(stepOf[phase]);
    await this.#send(change);
  }

  async #send({ frames }: ThreadChange): Promise<void> {
    for (const { text, inputOffset } of frames) {
      await this.#deps.run.write(text, { offset: inputOffset }).catch((error: unknown) => {
        // It has ended: what it said last is still read.
        if (!hasCode(error, 'not-running')) throw error;
      });
    }
  }

  async #cancelAsks(): Promise<void> {
    const { clock } = this.#deps;
    for (const { id, state } of this.#rows.asks.values()) {
      if (state !== 'open') continue;
      const reply = { askId: id, answer: { kind: 'cancel' }, actor: 'test' } as const;
      const step = answerAsk(this.#rows, reply, clock.wallMs());
      if (step.outcome !== 'answered') continue;
      this.#rows = step.change.rows;
      await this.#send(step.change);
    }
  }

  /* Undefined: it goes on. */
  #judge({ endedTurns: [turn] }: ThreadChange): ProbeResult | undefined {
    if (turn === undefined) return undefined;
    if (turn.status === 'completed') {
      this.#endStep();
      return this.#result('works');
    }
    const outcome = this.#isAuthRequired ? 'not-signed-in' : 'refused';
    return this.#result(outcome, turn.result?.message ?? `the turn was ${turn.status}`);
  }

  #next(step: ProbeStepName): void {
    if (step === this.#step) return;
    this.#endStep();
    this.#step = step;
    this.#stepAtMs = this.#deps.clock.monotonicMs();
    this.#arm();
  }

  #endStep(): void {
    const ms = Math.round(this.#deps.clock.monotonicMs() - this.#stepAtMs);
    const done = { name: this.#step, ms };
    this.#steps.push(done);
    this.#deps.onStep?.(done);
  }

  #arm(): void {
    this.#timer?.cancel();
    this.#timer = this.#deps.clock.timer(this.#deps.stepMs, () => this.#tooSlow.abort());
  }

  #ended(): ProbeResult {
    if (!this.#hasSpoken && this.#noise.length > 0) {
      return this.#result('no-acp', 'what it says is no message of the Agent Client Protocol');
    }
    return this.#result('exited', 'it ended before it had answered');
  }

  #slow(): ProbeResult {
    if (!this.#hasSpoken && this.#noise.length > 0) {
      return this.#result('no-acp', 'what it says is no message of the Agent Client Protocol');
    }
    return this.#result('too-slow', `no answer within ${this.#deps.stepMs / 1_000} s`);
  }

  #result(outcome: ProbeOutcome, message?: string): ProbeResult {
    const { prompt } = this.#deps;
    const capabilities = this.#rows.run?.capabilities;
    return {
      outcome,
      steps: this.#steps,
      ...(outcome === 'works' ? {} : { failedAt: this.#step, message }),
      ...(capabilities === undefined ? {} : { capabilities }),
      signInWays: this.#signInWays,
      stderr: this.#stderr,
      noise: this.#noise,
      ...(prompt === undefined ? {} : { answer: this.#answer }),
    };
  }
}

/* A thread with one turn that is about to run, and the lease of its agent. */
function freshRows({ run, agent, cwd, prompt = '', clock }: ProbeDeps): ThreadRows {
  const atMs = clock.wallMs();
  const thread = {
    id: 'test',
    version: 1,
    agent,
    backend: 'test',
    ownerId: 'test',
    instanceId: 'test',
    ancestors: [],
    cwd,
    title: 'test',
    status: 'ready',
    lastSeq: 0,
    createdAtMs: atMs,
    updatedAtMs: atMs,
  } as const;
  const empty: ThreadRows = { thread, calls: new Map(), asks: new Map(), queue: [] };
  const turn = {
    id: 'test',
    prompt: [{ type: 'text', text: prompt }],
    loadClass: 'short_task',
    requester: 'test',
  } as const;
  const queued = enqueueTurn(empty, turn, atMs).rows;
  const admitted = admitTurn(queued, atMs)?.rows ?? queued;
  const lease = {
    runId: run.runId,
    leaseId: 'test',
    instanceId: 'test',
    commandHash: '',
    programRoot: '',
    programPath: '',
  };
  return beginRun(admitted, { ...lease, sessionId: undefined }, atMs)?.rows ?? admitted;
}
