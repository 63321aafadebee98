/*
 * The agent's process: its lease is written before it is started, completed when it has started, taken over by the next owner, and
 * closed when it has ended. How it is ended is in closing.ts.
 */
import type { RunId, TerminationReason } from '@clawdfather/supervisor';
import { outputStart } from '@clawdfather/supervisor';
import type { Choice } from '../choices/choice.ts';
import { withoutCurrent } from '../choices/parse-choices.ts';
import type { AgentProcess, AgentRunRow, ThreadChange, ThreadRows, TurnRow } from '../rows.ts';
import { requeuesMax } from '../wire/limits.ts';
import { advance } from './advance.ts';
import { lossOf } from './agent-loss.ts';
import { giveUpAfterEnd, giveUpAll } from './choosing.ts';
import { Draft } from './draft.ts';
import type { AgentSetup } from './handshake.ts';
import type { MessageText } from './message-text.ts';
import { bindTurn, endOnce, type OnceSetup } from './once.ts';
import { putBack } from './put-back.ts';
import { noteReached } from './reaching.ts';
import { closeAsks } from './take-request.ts';
import { closeMessage, Texts } from './take-update.ts';

export type NewAgentRun = Pick<
  AgentRunRow,
  'runId' | 'leaseId' | 'instanceId' | 'seenBy' | 'commandHash' | 'programRoot' | 'programPath'
> & {
  readonly sessionId: string | undefined;
  /* Where it works, as its own machine calls it; absent: as the thread says. */
  readonly cwd?: string | undefined;
  /* What its agent has offered the last time. */
  readonly known?: readonly Choice[] | undefined;
  /* It is run for the turn that is running, and for no other. */
  readonly once?: OnceSetup | undefined;
};

/* Undefined: it has one, or was put away meanwhile. Without a run: the turn must not be prompted by this agent, and has failed. */
export function beginRun(
  rows: ThreadRows,
  { sessionId, cwd = rows.thread.cwd, once, known = [], ...run }: NewAgentRun,
  atMs: number,
): ThreadChange | undefined {
  if (rows.run !== undefined || rows.thread.status === 'archived') return undefined;
  const draft = new Draft(rows, atMs);
  draft.thread = { ...draft.thread, sessionId, cwd };
  // Nothing is started for a turn that must not be prompted.
  if (once !== undefined && !giveUpAll(draft)) return draft.done();
  draft.run = {
    ...run,
    epoch: 0,
    state: 'open',
    phase: 'starting',
    cursor: outputStart,
    acceptedInput: 0,
    nextCallId: 1,
    nextInputOffset: 0,
    replayedCount: 0,
    ...(known.length === 0 ? {} : { choices: withoutCurrent(known) }),
    startedAtMs: atMs,
  };
  noteReached(draft);
  if (once !== undefined) bindTurn(draft, once);
  return draft.done();
}

export interface HeldRun {
  readonly runId: RunId;
  readonly epoch: number;
  readonly process: AgentProcess | undefined;
  /* The start of the gateway that sees it alive; undefined: it has ended. */
  readonly seenBy?: number | undefined;
}

/*
 * It has started, or is ours now. The epoch never falls (O3): an owner with an older one is told so. Undefined: superseded, or another
 * run's.
 */
export function holdRun(
  rows: ThreadRows,
  { runId, epoch, process, seenBy }: HeldRun,
  { setup, atMs }: { setup: AgentSetup; atMs: number },
): ThreadChange | undefined {
  const { run } = rows;
  if (run?.runId !== runId || run.epoch > epoch) return undefined;
  const draft = new Draft(rows, atMs);
  draft.changeRun({ epoch, process: run.process ?? process, seenBy: seenBy ?? run.seenBy });
  advance(draft, setup);
  return draft.done();
}

export interface RunEnd {
  readonly runId: RunId;
  readonly reason: TerminationReason;
  /* Of one on an SSH host that was lost with the connection: the cause of that. */
  readonly hostCause?: string | undefined;
  /* Of the process, where it ended by itself. */
  readonly code?: number | undefined;
  /* For people: how it ended. */
  readonly message: string;
  /* The end of what it wrote to its standard error, where programs say what is wrong. */
  readonly lastWords?: string | undefined;
  readonly endedAtMs: number;
  /* The start of the gateway that finds it gone. */
  readonly foundBy?: number | undefined;
  /* `lost`: how it ended could not be seen. */
  readonly state: Extract<AgentRunRow['state'], 'closed' | 'lost'>;
  /* Nothing was ever started, because its gateway was lost in that moment: the turn goes on with the next one. */
  readonly isVoid?: boolean | undefined;
}

/* All that it said was consumed. Undefined: it is not this thread's run any more. */
export function endRun(
  rows: ThreadRows,
  end: RunEnd,
  { text, atMs }: { text: MessageText; atMs: number },
): ThreadChange | undefined {
  const { run, turn } = rows;
  if (run?.runId !== end.runId) return undefined;
  const { endedAtMs } = end;
  const draft = new Draft(rows, atMs);
  if (end.isVoid === true) {
    // It said nothing and was told nothing, so there is nothing to show.
    draft.endRun({ ...draft.changeRun({}), state: end.state, endedAtMs });
    return draft.done();
  }
  closeMessage({ draft, texts: new Texts(text), atMs: endedAtMs });
  closeAsks(draft, () => true, { state: 'void', atMs: endedAtMs });
  const { reason, hostCause, message } = end;
  // Why it was closed, where it was: that it ended by a signal is then no failure.
  const closing = run.closing?.reason;
  draft.event('status', { event: 'agent-ended', reason, hostCause, closing, message });
  draft.endRun({ ...draft.changeRun({}), state: end.state, endedAtMs });
  const said = { ...end, message: withWords(end) };
  if (run.phase === 'once') endOnce(draft, run, said);
  else if (turn !== undefined && !isForNextRun(turn, run)) endOfTurn(draft, run, said);
  return draft.done();
}

/* It came while the agent was being ended, and never had to do with it: it goes on with the next one. */
function isForNextRun(turn: TurnRow, { closing }: AgentRunRow): boolean {
  const { startedAtMs, promptCall, cancelAskedAtMs } = turn;
  if (closing === undefined || startedAtMs === undefined) return false;
  return startedAtMs >= closing.atMs && promptCall === undefined && cancelAskedAtMs === undefined;
}

function withWords({ message, reason, lastWords }: RunEnd): string {
  return reason === 'exit' && lastWords ? `${message}: ${lastWords}` : message;
}

function endOfTurn(draft: Draft, run: AgentRunRow, end: RunEnd): void {
  const { turn } = draft;
  if (turn === undefined) return;
  const { reason, hostCause, message, endedAtMs } = end;
  const cause = hostCause ?? reason;
  const wasAccepted = turn.promptEnd !== undefined && run.acceptedInput >= turn.promptEnd;
  const isPrompted = turn.promptCall !== undefined;
  // It says nothing about the agent: another one may live.
  const isNotItsFault =
    reason === 'host-rebooted' || reason === 'container-restarted' || hostCause !== undefined;
  const wasSetting = run.setting?.call !== undefined && !isPrompted;
  if (wasSetting && reason === 'exit') giveUpAfterEnd(draft, run);
  if (draft.turn === undefined) return;
  const isUnsaid = isPrompted || isNotItsFault || wasSetting;
  const mayGoBack = isUnsaid && turn.requeuedCount < requeuesMax;
  if (!wasAccepted && !mayGoBack) {
    draft.turnEvent({ type: 'not-startable', message }, endedAtMs);
    return;
  }
  const gaveUp = reason === 'exit' && turn.firstOutputAtMs === undefined;
  const lost = { loss: lossOf(run, end), cause, message, wasAccepted, gaveUp } as const;
  draft.turnEvent({ type: 'agent-lost', ...lost }, endedAtMs);
  if (draft.turn?.status === 'queued') putBack(draft, 'its agent ended before it had the prompt');
}
