/*
 * What was written on this device and is nowhere else, counted: messages that the gateway does not have, and drafts. Pure.
 */
import type { OutboxRow } from '@clawdfather/sdk';
import type { DraftRow } from './device-tables.ts';

export interface Unsent {
  readonly messages: number;
  readonly drafts: number;
}

export function unsentOf(
  outbox: readonly Pick<OutboxRow, 'item' | 'state'>[],
  drafts: readonly Pick<DraftRow, 'key' | 'text'>[],
): Unsent {
  const messages = outbox.filter(
    ({ item, state: { kind } }) =>
      item.kind === 'message' && kind !== 'taken' && kind !== 'accepted',
  ).length;
  const written = drafts.filter(({ key, text }) => !isChoice(key) && text.trim() !== '');
  return { messages, drafts: new Set(written.map(({ key }) => placeOf(key))).size };
}

/* What was picked for a new thread is kept like a draft, and is none. */
function isChoice(key: string): boolean {
  return key === 'new-place' || key.startsWith('new-chosen-');
}

/* The words and the files of one message are one draft. Files of a new thread are for this machine. */
function placeOf(key: string): string {
  return key === 'files-new' ? 'new-' : key.replace(/^files-/, '');
}

/* Undefined: nothing would be lost. */
export function lossWords({ messages, drafts }: Unsent): string | undefined {
  const parts = [
    messages > 0 && `${counted(messages, 'message')} not sent yet`,
    drafts > 0 && `${counted(drafts, 'draft')} only on this device`,
  ].filter((part) => part !== false);
  if (parts.length === 0) return undefined;
  return `${parts.join(', and ')}. ${messages + drafts === 1 ? 'It' : 'They'} would be lost.`;
}

function counted(count: number, what: string): string {
  return count === 1 ? `1 ${what} is` : `${count} ${what}s are`;
}
