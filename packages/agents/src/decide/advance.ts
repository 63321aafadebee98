/*
 * What follows from the rows by itself, at the end of every decision of the owner: the first call to an agent that has started, and the
 * prompt of the turn that runs, once the agent is ready for it (X2).
 */
import { deadlineMs } from '../turn/deadlines.ts';
import type { Draft } from './draft.ts';
import { type AgentSetup, initialize } from './handshake.ts';

/* `setup`: of the owner, which alone begins the handshake. */
export function advance(draft: Draft, setup?: AgentSetup): void {
  const { run, turn } = draft;
  if (run === undefined || run.state !== 'open') return;
  if (run.phase === 'starting') {
    if (setup !== undefined && run.process !== undefined) initialize(draft, setup);
  } else if (run.phase === 'ready' && turn !== undefined && turn.promptCall === undefined) {
    prompt(draft);
  }
}

function prompt(draft: Draft): void {
  const { turn, thread, runId, atMs } = draft;
  if (turn === undefined) return;
  if (turn.cancelCause !== undefined) {
    draft.turnEvent({ type: 'stopped', stopReason: 'cancelled' });
    return;
  }
  const params = { sessionId: thread.nativeSessionId, prompt: turn.prompt };
  const { id, end } = draft.call('session/prompt', params, turn.id);
  draft.changeTurn({
    runId,
    promptCall: id,
    promptEnd: end,
    deadlineAtMs: atMs + deadlineMs[turn.loadClass],
  });
}
