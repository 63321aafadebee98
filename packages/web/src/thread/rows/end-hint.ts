/*
 * What the bad end of a turn means for what comes next, by its code (docs/recovery.md).
 */
import { heldBy, type HeldKind } from '../../data/limits.ts';
import type { TurnEnd } from './row.ts';

export interface EndHint {
  readonly hint: string;
  /* It found no room: what holds the places. */
  readonly held?: HeldKind | undefined;
}

const said = 'What was said so far is kept. Send the message again to go on.';

const hints: Readonly<Record<string, string>> = {
  OPENCLAW_RUN_DEADLINE_EXCEEDED:
    'The agent was stopped at its time limit. What it had said by then is kept.',
  OPENCLAW_GATEWAY_LOST:
    'The machine of the agent did not answer for too long. The agent may have gone on there; what it did is not known here.',
  ACP_BRIDGE_RESTART:
    'What it had said is kept. The turn was not repeated; send the message again to go on.',
};

export function endHint({ code, cause, isUnstarted }: TurnEnd): EndHint {
  if (code === 'OPENCLAW_GATEWAY_BUSY') return noRoom(cause);
  // The reason, and what to do, are in the message of the turn.
  if (cause === 'choice-not-set') {
    return {
      hint: 'A message is not sent if what may limit the agent cannot be set. What is chosen is under “Mode and model…” of this thread.',
    };
  }
  if (isUnstarted) {
    return {
      hint: 'Nothing was started. A thread keeps its agent and its directory: if one of them is the reason, begin a new thread with others.',
    };
  }
  return { hint: hints[code] ?? said };
}

/* Nothing was sent to the agent. */
function noRoom(cause: string | undefined): EndHint {
  const hint =
    cause === 'session_limit_reached'
      ? 'It was not begun. Close one that is not needed, then send it again.'
      : 'It waited in the queue for too long and was not begun. Send it again when there is room.';
  return { hint, held: heldBy(cause) };
}
