/*
 * Does what an agent asks of its host: files and terminals (packages/agents/src/decide/effects.ts). Each `look` takes up what is `acting` in
 * the rows and is not under way here; what an earlier owner has begun is taken up from its record.
 *
 * A write: what the policy says → the hashes are recorded → it is written only if the file still is what was recorded → answered.
 * Files are seen to one after the other: each is a session of the host, and agents ask for many at once. Terminals are waited for side by
 * side.
 */
import { createHash } from 'node:crypto';
import {
  type AskRow,
  askFirst,
  type EffectOutcome,
  type EffectRecord,
  finishEffect,
  isChange,
  type Json,
  judgeWrite,
  noteEffect,
  type RpcError,
  type ThreadChange,
  type ThreadRows,
} from '@clawdfather/agents';
import { type Clock, CodedError, type Log } from '@clawdfather/kit';
import type { RunId } from '@clawdfather/supervisor';
import type { CrashPoint, HostTools } from './ports.ts';
import type { KeptRows } from './thread-rows.ts';

export interface ThreadEffectsDeps {
  readonly rows: KeptRows;
  readonly tools: HostTools;
  readonly runId: RunId;
  readonly epoch: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly onPoint?: ((point: CrashPoint) => void) | undefined;
  readonly lookAgain: (afterMs?: number) => void;
  readonly signal: AbortSignal;
}

export interface ThreadEffects {
  /* Never rejects, and waits for nothing. */
  look(rows: ThreadRows): void;
}

/* A host that gives no answer is asked again; then the agent is told that it is not known what became of it. */
const attemptsMax = 3;
const retryMs = 1_000;
/* What ACP has no code for. */
const failedCode = -32000;

export function createThreadEffects(deps: ThreadEffectsDeps): ThreadEffects {
  const underWay = new Set<string>();
  const attempts = new Map<string, number>();
  let files: Promise<void> = Promise.resolve();
  const perform = async (ask: AskRow): Promise<void> => {
    try {
      await act(deps, ask);
      attempts.delete(ask.id);
    } catch (error) {
      if (deps.signal.aborted) return;
      await failed(deps, ask, { error, attempts });
    } finally {
      underWay.delete(ask.id);
    }
  };
  return {
    look: ({ asks }) => {
      for (const ask of asks.values()) {
        const isDue = ask.class === 'effect' && ask.state === 'acting' && ask.runId === deps.runId;
        if (!isDue || underWay.has(ask.id)) continue;
        underWay.add(ask.id);
        if (ask.method.startsWith('fs/')) files = files.then(() => perform(ask));
        else void perform(ask);
      }
    },
  };
}

async function failed(
  deps: ThreadEffectsDeps,
  ask: AskRow,
  { error, attempts }: { readonly error: unknown; readonly attempts: Map<string, number> },
): Promise<void> {
  const { log, rows, lookAgain } = deps;
  const count = (attempts.get(ask.id) ?? 0) + 1;
  attempts.set(ask.id, count);
  log.warn('thread.effect-failed', { askId: ask.id, method: ask.method, error });
  // It may have been decided by another owner, or its agent has ended.
  await rows.forget();
  if (count < attemptsMax) {
    lookAgain(retryMs);
    return;
  }
  const message = 'uncertain: the host gave no answer, so it is not known whether it was done';
  await finish(deps, ask, refused({ message })).catch(() => lookAgain(retryMs));
}

/* Rejects where the host gives no answer; what the host refuses is an answer. */
async function act(deps: ThreadEffectsDeps, ask: AskRow): Promise<void> {
  const { tools } = deps;
  if (isChange(ask.method) && ask.decision === undefined && ask.effect === undefined) {
    const verdict = await tools.judge();
    if (verdict === 'deny')
      return finish(deps, ask, refused({ message: 'agents run nothing there' }));
    if (verdict === 'ask') {
      const { epoch } = deps;
      await change(deps, (now, atMs) => askFirst(now, { askId: ask.id, epoch }, atMs));
      return;
    }
  }
  await finish(deps, ask, await outcomeOf(deps, ask));
}

async function outcomeOf(deps: ThreadEffectsDeps, ask: AskRow): Promise<EffectOutcome> {
  try {
    return ask.method === 'fs/write_text_file'
      ? await write(deps, ask)
      : { kind: 'done', result: await resultOf(deps, ask) };
  } catch (error) {
    // A coded error is what the host, or its policy, says to it.
    if (!(error instanceof CodedError) || error.code === 'host-unreachable') throw error;
    return refused({ message: error.message });
  }
}

async function resultOf(deps: ThreadEffectsDeps, ask: AskRow): Promise<Json> {
  const { tools, runId: agentRunId, onPoint, signal } = deps;
  const { params } = ask;
  const terminal = { terminalId: textAt(params, 'terminalId'), agentRunId };
  switch (ask.method) {
    case 'fs/read_text_file':
      return { content: part(await tools.read(textAt(params, 'path')), params) };
    case 'terminal/create': {
      if (ask.effect === undefined) await note(deps, ask, { kind: 'terminal' });
      onPoint?.('before-effect');
      await tools.createTerminal({ runId: ask.id as RunId, agentRunId, params });
      onPoint?.('after-effect');
      return { terminalId: ask.id };
    }
    case 'terminal/output':
      return tools.terminalOutput(terminal);
    case 'terminal/wait_for_exit':
      return tools.waitForTerminal(terminal, signal);
    default:
      await tools.endTerminal(terminal);
      return {};
  }
}

/* It was looked at before the request got its row. */
function textAt(params: AskRow['params'], key: string): string {
  const value = params[key];
  return typeof value === 'string' ? value : '';
}

/* Lines are counted from 1. */
function part(text: string, { line, limit }: AskRow['params']): string {
  if (typeof line !== 'number' && typeof limit !== 'number') return text;
  const from = Math.max(0, Number(line ?? 1) - 1);
  const lines = text.split(/(?<=\n)/);
  return lines.slice(from, typeof limit === 'number' ? from + limit : undefined).join('');
}

async function write(deps: ThreadEffectsDeps, ask: AskRow): Promise<EffectOutcome> {
  const { tools, onPoint } = deps;
  const path = textAt(ask.params, 'path');
  const text = textAt(ask.params, 'content');
  const found = await tools.hashOf(path);
  let { effect } = ask;
  if (effect?.kind !== 'write') {
    const newHash = createHash('sha256').update(text).digest('hex');
    effect = { kind: 'write', oldHash: found, newHash };
    await note(deps, ask, effect);
  }
  const { oldHash, newHash } = effect;
  const uncertain = refused({
    message: `uncertain: ${path} is neither what it was nor what was to be written; it was left alone`,
  });
  switch (judgeWrite(effect, found)) {
    case 'done':
      return { kind: 'done', result: {} };
    case 'uncertain':
      return uncertain;
    case 'write': {
      onPoint?.('before-effect');
      const outcome = await tools.write({ path, text, oldHash, newHash, name: ask.id });
      onPoint?.('after-effect');
      return outcome === 'written' ? { kind: 'done', result: {} } : uncertain;
    }
  }
}

async function note(deps: ThreadEffectsDeps, { id }: AskRow, effect: EffectRecord): Promise<void> {
  const { epoch } = deps;
  const rows = await change(deps, (now, at) => noteEffect(now, { askId: id, epoch, effect }, at));
  if (rows === undefined) throw new TypeError('it is not ours to do any more');
}

async function finish(deps: ThreadEffectsDeps, { id }: AskRow, outcome: EffectOutcome) {
  const { epoch } = deps;
  await change(deps, (now, at) => finishEffect(now, { askId: id, epoch, outcome }, at));
  deps.lookAgain();
}

function change(
  { rows, clock }: ThreadEffectsDeps,
  decide: (now: ThreadRows, atMs: number) => ThreadChange | undefined,
): Promise<ThreadRows | undefined> {
  return rows.change((now) => {
    const decided = decide(now, clock.wallMs());
    return decided && { change: decided };
  });
}

function refused({ message }: Pick<RpcError, 'message'>): EffectOutcome {
  return { kind: 'failed', error: { code: failedCode, message } };
}
