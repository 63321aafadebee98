/*
 * What came of comparing a conversation with the journals of its agents, in lines (docs/threads.md). Pure.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';

export type Verification = AnswerOf<Api['history']['verify']>;
type Run = Verification['runs'][number];

export interface VerifyLine {
  readonly text: string;
  readonly mood: 'plain' | 'good' | 'bad';
}

export function verifyLines(found: Verification): readonly VerifyLine[] {
  const { runs, missing, events, through, newest_seq: newest } = found;
  const lines: VerifyLine[] = runs.map(lineOfRun);
  if (runs.length === 0) lines.push({ text: 'No agent has run in it yet.', mood: 'plain' });
  for (const { from, to } of missing) {
    lines.push({ text: `The gateway does not have ${named(from, to)}.`, mood: 'bad' });
  }
  if (!found.is_complete) {
    const text = `It was too long: only events up to ${through} of ${newest} were looked at.`;
    lines.push({ text, mood: 'plain' });
  }
  lines.push({ text: `${events.toLocaleString()} events were looked at.`, mood: 'plain' });
  return lines;
}

function lineOfRun({ outcome, reason, compared, difference }: Run): VerifyLine {
  if (outcome === 'not_comparable') {
    const why = reason === null ? 'why is not known' : whys[reason];
    return { text: `An agent’s run cannot be compared: ${why}.`, mood: 'plain' };
  }
  if (outcome === 'same' || difference === null) {
    const text = `As its agent said it: ${compared.toLocaleString()} texts and updates are the same.`;
    return { text, mood: 'good' };
  }
  const { kind, what, seq, last_seq: last } = difference;
  return {
    text: `It differs at ${named(seq, last)}: ${differences[what]} (${kind}).`,
    mood: 'bad',
  };
}

const whys: Readonly<Record<NonNullable<Run['reason']>, string>> = {
  forgotten: 'it ended long ago',
  collected: 'its journal was removed',
  trimmed: 'its journal has dropped its oldest output',
  damaged: 'its journal is damaged',
  another_machine: 'its journal is on another machine',
  host: 'it works on a host',
  too_long: 'the conversation is too long',
  no_time: 'there was no time left',
};

const differences: Readonly<Record<NonNullable<Run['difference']>['what'], string>> = {
  changed: 'this is not what the journal has',
  added: 'this is not in the journal',
  missing: 'the journal goes on with something else',
  'end-unfit': 'it has another length or hash than what it ends',
};

function named(from: number, to: number): string {
  return from === to ? `event ${from}` : `events ${from}–${to}`;
}
