/*
 * How an agent that is run once per turn is started: its command, the arguments with which it goes on with a conversation, the prompt; and
 * the deadlines that the shim keeps, with a gateway or without.
 */
import { promptText } from '../decide/once.ts';
import { AgentsError } from '../errors.ts';
import type { ThreadRow, TurnRow } from '../rows.ts';
import { deadlineMs } from '../turn/deadlines.ts';
import { noOutputMs } from '../turn/watchdog.ts';
import type { ResolvedAgent } from './resolve-agent.ts';

export type OnceCommand = Pick<ResolvedAgent, 'argv' | 'once' | 'timeoutMs'>;

export interface OnceStart {
  readonly argv: readonly [string, ...string[]];
  /* For people: without the prompt. */
  readonly shownAs: string;
  readonly stdin: 'open' | 'closed';
  readonly overallTimeoutMs: number;
  readonly noOutputTimeoutMs: number;
}

export interface OncePrompt {
  readonly prompt: TurnRow['prompt'];
  readonly loadClass: TurnRow['loadClass'];
  /* The conversation has begun before. */
  readonly isBegun: boolean;
}

export function onceStart(
  agent: OnceCommand,
  { prompt, loadClass, isBegun }: OncePrompt,
): OnceStart {
  const { once, timeoutMs = Infinity } = agent;
  const [program = '', ...args] = agent.argv;
  const isResumed = isBegun && once?.resume !== undefined;
  const shown = [program, ...(isResumed ? withResume(args, once.resume) : args)] as const;
  const isArgument = once?.prompt !== 'stdin';
  const overallTimeoutMs = Math.min(deadlineMs[loadClass], timeoutMs);
  return {
    argv: isArgument ? [...shown, promptText(prompt)] : shown,
    shownAs: shown.join(' '),
    stdin: isArgument ? 'closed' : 'open',
    overallTimeoutMs,
    noOutputTimeoutMs: noOutputMs({ timeoutMs: overallTimeoutMs, isResumed }),
  };
}

/* After a last `--`, which keeps a prompt from being taken for an option, they would be none either. */
function withResume(args: readonly string[], resume: readonly string[] = []): readonly string[] {
  const isGuarded = args.at(-1) === '--';
  return isGuarded ? [...args.slice(0, -1), ...resume, '--'] : [...args, ...resume];
}

/* Of the turn that its lease was written for. Throws `agent-turn-gone`: there is nothing to start any more. */
export function onceStartOf(
  agent: OnceCommand,
  thread: ThreadRow,
  { runId, turn }: { readonly runId: string; readonly turn: TurnRow | undefined },
): OnceStart {
  if (turn?.runId !== runId || turn.cancelCause !== undefined) {
    throw new AgentsError('agent-turn-gone', 'its turn was over before it started');
  }
  const { prompt, loadClass } = turn;
  return onceStart(agent, { prompt, loadClass, isBegun: thread.nativeSessionId !== undefined });
}
