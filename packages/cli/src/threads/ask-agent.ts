/*
 * A prompt and its turn: sent once, whatever happens to the answer, and then watched to its end, or left to itself.
 *
 * Ctrl-C asks the agent to stop, and the turn is watched on until it has. A second one leaves.
 */
import { makeVisible } from '@clawdfather/tools/text';
import type { CommandContext } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { retried } from '../place/gateway/retried.ts';
import { jsonLine } from '../render/run-json.ts';
import { flagOf } from '../hosts/place-of-host.ts';
import type { OpenedGateway } from '../sign-in/open-client.ts';
import { type CaughtSignals, catchSignals } from './caught-signals.ts';
import { findThread, shortThread } from './find-thread.ts';
import { type EndedTurn, type Watching, watchThread } from './follow-turns.ts';
import { markSeen } from './mark-seen.ts';
import { type AskWish, type Sent, sendPrompt } from './send-prompt.ts';
import { resultJson } from './thread-json.ts';
import type { Thread } from './thread-types.ts';
import { formatTurnEnd, turnExitCode } from './turn-end.ts';
import { withThreads } from './with-threads.ts';

export function askAgent(context: CommandContext, wish: AskWish): Promise<ExitStatus> {
  return withThreads(context, async (gateway) => {
    const watching = watchThread(context, gateway, { showsPrompts: false });
    using caught = catchSignals(context);
    const before =
      wish.thread === undefined ? undefined : await findThread(gateway.client, wish.thread);
    const sending = { watching, wish, before, signal: caught.leave };
    const sent = await sendPrompt(context, gateway, sending).catch(async (error: unknown) => {
      if (!caught.leave.aborted) throw error;
      await watching.note('clf: left; the agent may have been asked: clf threads ls\n');
      return undefined;
    });
    if (sent === undefined) return { kind: 'signal', signal: caught.name() ?? 'SIGINT' };
    if (wish.isDetached) return tellDetached(context, gateway, sent);
    if (context.isJson) await context.io.stdout.write(jsonLine(askedJson(sent)));
    // Awaited here: with the return the signals are not caught any more.
    return await watch(context, gateway, { watching, sent, before, caught });
  });
}

function askedJson({ thread, turn }: Sent) {
  return { type: 'asked', threadId: thread.id, turnId: turn.id, agent: thread.agent } as const;
}

async function tellDetached(
  context: CommandContext,
  { target }: OpenedGateway,
  sent: Sent,
): Promise<ExitStatus> {
  const { io, isJson } = context;
  const { thread } = sent;
  await io.stdout.write(isJson ? jsonLine(askedJson(sent)) : `${thread.id}\n`);
  if (io.stderr.isTerminal && !isJson) {
    const flag = flagOf(context, target);
    const id = shortThread(thread);
    await io.stderr.write(
      `clf: see: clf threads follow${flag} ${id}   stop it: clf threads cancel${flag} ${id}\n`,
    );
  }
  return codeStatus(exitOk);
}

interface WatchParts {
  readonly watching: Watching;
  readonly sent: Sent;
  readonly before: Thread | undefined;
  readonly caught: CaughtSignals;
}

async function watch(
  context: CommandContext,
  gateway: OpenedGateway,
  { watching, sent, before, caught }: WatchParts,
): Promise<ExitStatus> {
  const { client, target } = gateway;
  const { thread, turn } = sent;
  const { note, retry } = watching;
  const flag = flagOf(context, target);
  const id = shortThread(thread);
  const stop = async (): Promise<void> => {
    await note('clf: asking the agent to stop; Ctrl-C once more leaves\n');
    const cancel = () => client.turns.cancel({ params: { id: turn.id } }, { signal: caught.leave });
    await retried(retry, cancel, caught.leave);
  };
  // What cannot be asked for is told; the turn is watched on.
  caught.onFirst(() => void stop().catch((error: unknown) => tellUnasked(note, caught, error)));
  if (before?.status === 'running' || before?.status === 'queued') {
    await note('clf: another turn of this thread has not ended; this one waits for it\n');
  }
  try {
    const ended = await watching.follow({
      threadId: thread.id,
      after: before?.last_seq ?? 0,
      isMeant: ({ turn_id: turnId }) => turnId === turn.id,
      isOver: (turnId) => turnId === turn.id,
      openAsks: before === undefined ? [] : await openAsks(gateway, thread),
      signal: caught.leave,
    });
    await markSeen(context, client, { threadId: thread.id, seq: ended.seq });
    return await tellEnd(context, ended, { watching, sent, caught, again: `clf say${flag} ${id}` });
  } catch (error) {
    if (!caught.leave.aborted) throw error;
    await note(`clf: left; the turn may go on: clf threads follow${flag} ${id}\n`);
    return { kind: 'signal', signal: caught.name() ?? 'SIGINT' };
  }
}

async function openAsks({ client }: OpenedGateway, thread: Thread): Promise<readonly string[]> {
  const { items } = await client.asks.list();
  return items.filter(({ thread_id: of }) => of === thread.id).map(({ id }) => id);
}

async function tellUnasked(
  note: Watching['note'],
  { leave }: CaughtSignals,
  error: unknown,
): Promise<void> {
  if (leave.aborted) return;
  const why = error instanceof Error ? error.message : String(error);
  await note(`clf: the agent could not be asked to stop: ${makeVisible(why)}\n`).catch(() => {});
}

async function tellEnd(
  context: CommandContext,
  { end, text, usage }: EndedTurn,
  {
    watching,
    sent: { thread, turn },
    caught,
    again,
  }: Pick<WatchParts, 'watching' | 'sent' | 'caught'> & { readonly again: string },
): Promise<ExitStatus> {
  const { io, isJson } = context;
  const exitCode = turnExitCode(end);
  if (isJson) {
    const asked = { threadId: thread.id, turnId: turn.id };
    await io.stdout.write(jsonLine(resultJson({ ...asked, end, text, usage, exitCode })));
  } else {
    const how = formatTurnEnd(end);
    if (how !== undefined) await watching.note(`clf: ${how}\n`);
    if (io.stderr.isTerminal) await watching.note(`clf: to go on: ${again} "…"\n`);
  }
  // So that a loop of a shell ends with Ctrl-C, too.
  const name = caught.name();
  const wasStopped = end.status === 'cancelled' || end.status === 'interrupted';
  return name !== undefined && wasStopped ? { kind: 'signal', signal: name } : codeStatus(exitCode);
}
