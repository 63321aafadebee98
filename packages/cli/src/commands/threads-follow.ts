/*
 * `clf threads follow`: the newest turn of a conversation from its beginning, and all that comes, until nothing runs or waits in it. The
 * exit code is that of the turn that ended last, as with `clf ask`.
 */
import type { Execute } from '../command.ts';
import { codeStatus, exitOk } from '../exit-status.ts';
import { listenForLeave } from '../io/leave-signals.ts';
import { jsonLine } from '../render/run-json.ts';
import { findThread } from '../threads/find-thread.ts';
import { watchThread } from '../threads/follow-turns.ts';
import { markSeen } from '../threads/mark-seen.ts';
import { resultJson } from '../threads/thread-json.ts';
import type { Thread, ThreadEvent, Turn } from '../threads/thread-types.ts';
import { formatTurnEnd, turnExitCode } from '../threads/turn-end.ts';
import { withThreads } from '../threads/with-threads.ts';
import type { threadsFollowSpec } from './agent-specs.ts';

export const execute: Execute<typeof threadsFollowSpec> = (context) =>
  withThreads(context, async (gateway) => {
    const { io, isJson } = context;
    const { client } = gateway;
    const { id } = await findThread(client, context.operands.thread);
    const { thread, turns } = await client.threads.get({ params: { id } });
    const watching = watchThread(context, gateway, { showsPrompts: true });
    if (turns.length === 0) {
      await watching.note('clf: nothing was said in this thread yet\n');
      return codeStatus(exitOk);
    }
    using leave = listenForLeave(io);
    try {
      const { end, text, usage, turnId, seq } = await watching.follow({
        threadId: id,
        after: 0,
        ...createChoice(thread, turns),
        // Those of before come along with the other events.
        openAsks: [],
        signal: leave.signal,
      });
      const exitCode = turnExitCode(end);
      const result = { threadId: id, turnId, end, text, usage, exitCode };
      const how = formatTurnEnd(end);
      if (isJson) await io.stdout.write(jsonLine(resultJson(result)));
      else if (how !== undefined) await watching.note(`clf: ${how}\n`);
      await markSeen(context, client, { threadId: id, seq });
      return codeStatus(exitCode);
    } catch (error) {
      if (!leave.signal.aborted) throw error;
      return { kind: 'signal', signal: 'SIGINT' };
    }
  });

/* The turns that have not ended, or else the newest one, and whatever comes later. */
function createChoice(thread: Thread, turns: readonly Turn[]) {
  const living = turns.filter(({ status }) => status === 'queued' || status === 'running');
  const newest = turns.reduce((one, other) => (other.queued_at > one.queued_at ? other : one));
  const shown = new Set((living.length > 0 ? living : [newest]).map(({ id }) => id));
  const awaited = new Set(shown);
  return {
    isMeant: ({ seq, turn_id: turnId }: ThreadEvent): boolean => {
      if (seq <= thread.last_seq) return turnId !== null && shown.has(turnId);
      if (turnId !== null && !shown.has(turnId)) {
        shown.add(turnId);
        awaited.add(turnId);
      }
      return true;
    },
    isOver: (turnId: string): boolean => {
      awaited.delete(turnId);
      return awaited.size === 0;
    },
  };
}
