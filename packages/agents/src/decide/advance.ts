/*
 * What follows from the rows by itself, at the end of every decision of the owner: the first call to an agent that has started, and the
 * prompt of the turn that runs, once the agent is ready for it and its session has what was chosen (X2).
 */
import type { ThreadChange, ThreadRows } from '../rows.ts';
import { deadlineMs } from '../turn/deadlines.ts';
import { promptFor } from '../turn/pictures.ts';
import { abandonSetting, setChosenValues } from './choosing.ts';
import type { Draft } from './draft.ts';
import { type AgentSetup, initialize } from './handshake.ts';

/* `setup`: of the owner, which alone begins the handshake. */
export function advance(draft: Draft, setup?: AgentSetup): void {
  const { run, turn } = draft;
  if (run === undefined || run.state !== 'open') return;
  if (run.phase === 'starting') {
    if (setup !== undefined && run.process !== undefined) initialize(draft, setup);
  } else if (run.phase === 'ready' && turn !== undefined && turn.promptCall === undefined) {
    if (turn.cancelCause !== undefined || setChosenValues(draft)) prompt(draft);
  }
}

/* The agent does not answer to a value that is set: the turn fails, or its prompt goes without it. Undefined: it has answered. */
export function giveUpSetting(
  rows: ThreadRows,
  callId: number,
  atMs: number,
): ThreadChange | undefined {
  const draft = abandonSetting(rows, callId, atMs);
  if (draft === undefined) return undefined;
  advance(draft);
  return draft.done();
}

function prompt(draft: Draft): void {
  const { turn, thread, runId, atMs } = draft;
  if (turn === undefined) return;
  if (turn.cancelCause !== undefined) {
    draft.turnEvent({ type: 'stopped', stopReason: 'cancelled' });
    return;
  }
  const blocks = promptFor(turn.prompt, draft.run?.capabilities);
  const params = { sessionId: thread.nativeSessionId, prompt: blocks };
  const { id, end } = draft.call('session/prompt', params, turn.id);
  draft.changeTurn({
    runId,
    promptCall: id,
    promptEnd: end,
    deadlineAtMs: atMs + deadlineMs[turn.loadClass],
  });
}
