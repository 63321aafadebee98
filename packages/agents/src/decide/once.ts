/*
 * An agent that speaks no protocol: it is run once per turn, with the prompt as an argument or on its input; what it writes is the answer,
 * and its exit code says whether that is one.
 *
 * The turn is bound to its run in the change that writes the lease, so that no prompt is ever answered by a process that was started for
 * another one. Its phase is `once` from the beginning to its end: there is no handshake, and no second prompt.
 */
import { deadlineMs } from '../turn/deadlines.ts';
import type { JsonObject } from '../wire/json-rpc.ts';
import type { AgentRunRow } from '../rows.ts';
import { lossOf } from './agent-loss.ts';
import type { RunEnd } from './agent-run.ts';
import type { Draft } from './draft.ts';

export interface OnceSetup {
  readonly prompt: 'argument' | 'stdin';
}

/* The name of a conversation that has none: it has answered before, and the next turn goes on with it. */
const someSession = 'once';

/* Undefined turns are the caller's fault: without a prompt there is nothing to run. */
export function bindTurn(draft: Draft, { prompt }: OnceSetup): void {
  const { turn, runId, atMs } = draft;
  if (turn === undefined) return;
  draft.changeRun({ phase: 'once' });
  // As an argument it is there with the process.
  const promptEnd = prompt === 'stdin' ? draft.frame(promptText(turn.prompt)) : 0;
  draft.changeTurn({ runId, promptEnd, deadlineAtMs: atMs + deadlineMs[turn.loadClass] });
}

/* There is nothing to tell it: the process is ended, and its end is that of the turn. */
export function cancelOnce(draft: Draft, actor: string): void {
  if (draft.run?.state !== 'open') return;
  const closing = { reason: 'cancelled', actor, discards: false, atMs: draft.atMs };
  draft.changeRun({ state: 'closing', closing });
}

/* What a run was started as, by its row alone: what the settings say may be another now. Undefined: it speaks ACP. */
export function onceOf({ phase, nextInputOffset }: AgentRunRow): OnceSetup | undefined {
  if (phase !== 'once') return undefined;
  return { prompt: nextInputOffset > 0 ? 'stdin' : 'argument' };
}

export function endOnce(draft: Draft, run: AgentRunRow, end: RunEnd): void {
  // One that was admitted since is not this run's, and gets one of its own.
  if (draft.turn?.runId !== run.runId) return;
  const { reason, message, endedAtMs, code } = end;
  switch (reason) {
    case 'exit':
      if (code === 0) {
        draft.thread = { ...draft.thread, nativeSessionId: someSession };
        draft.turnEvent({ type: 'stopped', stopReason: 'end_turn' }, endedAtMs);
        return;
      }
      draft.turnEvent({ type: 'refused', message }, endedAtMs);
      return;
    case 'no-output-timeout':
      draft.turnEvent({ type: 'refused', message }, endedAtMs);
      return;
    case 'overall-timeout':
      draft.turnEvent({ type: 'late' }, endedAtMs);
      return;
    case 'spawn-error':
      draft.turnEvent({ type: 'not-startable', message }, endedAtMs);
      return;
    default: {
      const cause = end.hostCause ?? reason;
      const lost = { loss: lossOf(run, end), cause, message, wasAccepted: true } as const;
      draft.turnEvent({ type: 'agent-lost', ...lost, gaveUp: false }, endedAtMs);
    }
  }
}

/* Of a prompt that may have more than text in it. What cannot be told is said to be left out. */
export function promptText(prompt: readonly JsonObject[]): string {
  return prompt
    .map(({ type, text, uri, resource }) => {
      if (type === 'text' && typeof text === 'string') return text;
      if (type === 'resource_link' && typeof uri === 'string') return uri;
      const inside = (resource ?? {}) as JsonObject;
      if (type === 'resource' && typeof inside['text'] === 'string') return inside['text'];
      return `(${typeof type === 'string' ? type : 'something'} left out: this agent takes text only)`;
    })
    .join('\n\n');
}
