/*
 * What a thread tells for the record and nobody has to read: that its agent's process was closed, ended or went on, what that wrote on the way,
 * and facts for programs, all of it outside of a turn. An agent that waits for a prompt is closed after a while by itself; a conversation that was
 * read to its end would otherwise become unread by that.
 *
 * What a person may have to act on is never routine: a process that could not be ended, a conversation that an agent has forgotten, output that
 * is missing, anything in a turn.
 */
import type { EventRow } from '../rows.ts';

const ofProcess: readonly unknown[] = ['agent-closing', 'agent-ended', 'resumed'];
const ofOutput: readonly unknown[] = ['stdout', 'stderr'];

export function isRoutine({ type, turnId, payload }: EventRow): boolean {
  if (turnId !== undefined) return false;
  switch (type) {
    case 'status':
      // Updates that are for programs have no event of ours.
      return payload['update'] !== undefined || ofProcess.includes(payload['event']);
    case 'noise':
      return ofOutput.includes(payload['stream']);
    case 'usage':
      return true;
    default:
      return false;
  }
}
