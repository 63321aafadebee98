/*
 * The end of a turn in words, by its code (docs/recovery.md). What it means for what comes next is in end-hint.ts.
 */
import type { TurnEnd } from './row.ts';

export interface EndText {
  readonly mood: 'good' | 'plain' | 'bad';
  readonly title: string;
}

const titles: Readonly<Record<string, string>> = {
  error: 'Failed',
  OPENCLAW_RUN_DEADLINE_EXCEEDED: 'Took longer than it may',
  OPENCLAW_GATEWAY_LOST: 'Lost',
  ACP_BRIDGE_RESTART: 'Restarted',
};

export function endText({ status, code, cause }: TurnEnd): EndText {
  if (code === 'success') return { mood: 'good', title: 'Done' };
  if (code === 'aborted') {
    const title = status === 'interrupted' ? 'Stopped; the agent had to be ended' : 'Stopped';
    return { mood: 'plain', title };
  }
  if (code === 'OPENCLAW_GATEWAY_BUSY') return { mood: 'bad', title: 'Found no room' };
  if (cause === 'choice-not-set') return { mood: 'bad', title: 'Not sent' };
  const title = titles[code] ?? `Ended: ${code === '' ? status : code}`;
  const why = cause === undefined ? '' : ` (${cause.replaceAll(/[-_]/g, ' ')})`;
  return { mood: 'bad', title: `${title}${why}` };
}
