/*
 * What happened while its reader was away, in lines. Each may lead to where it happened.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { SeqRange } from '@clawdfather/protocol/history';
import type { ReceiptProof } from '@clawdfather/sdk';
import { formatLength } from '../../text/time-words.ts';

export type Receipt = AnswerOf<Api['history']['receipt']>;

export interface ReceiptLine {
  readonly text: string;
  readonly mood: 'plain' | 'good' | 'bad';
  /* The event that it is about. */
  readonly seq?: number | undefined;
}

/* Undefined: it is being looked at. `not-here`: the reader has not asked for it, or the browser cannot. */
export type Proof = ReceiptProof | 'not-here' | undefined;

/* Shorter, and of one turn: the reader has hardly looked away. */
const leastAwayMs = 60_000;

export function isWorthTelling(receipt: Receipt): boolean {
  const { away_ms: awayMs, turns_total: turns } = receipt;
  return isAboutWork(receipt) && ((awayMs ?? 0) > leastAwayMs || turns > 1);
}

/* An agent that waits is closed after a while, which is an event, too, and nothing to come back to. */
function isAboutWork({ events, missing, state, ...all }: Receipt): boolean {
  const { turns_total: turns, decisions_total: decisions, files_total: files } = all;
  const isUnderWay = state.running_turn_id !== null || state.waiting_turns > 0;
  return events > 0 && (isUnderWay || turns + decisions + files + missing.length > 0);
}

/* The first event that was written at a time or after it. Undefined: the events are not here. */
export type SeqAt = (at: string) => number | undefined;

/* Each line leads to where it happened, as far as that is known. */
export function receiptLines(
  receipt: Receipt,
  proof: Proof,
  seqAt: SeqAt = () => undefined,
): readonly ReceiptLine[] {
  return [
    { text: awayText(receipt), mood: 'plain', seq: receipt.since + 1 },
    ...receipt.gateways.map(({ starts, last_started_at: at }) => ({
      text: `The gateway was restarted ${times(starts)}${isProven(proof) ? '; nothing is lost' : ''}`,
      mood: 'plain' as const,
      seq: seqAt(at),
    })),
    proofLine(receipt, proof),
    ...missingLines(receipt.missing, 'The gateway itself does not have'),
    ...fileLines(receipt),
    ...decisionLines(receipt),
    ...turnLines(receipt, seqAt),
    { text: `Now: ${stateText(receipt.state)}`, mood: 'plain', seq: receipt.newest_seq },
  ];
}

/* The numbers behind it. */
export function receiptDetails(receipt: Receipt, proof: Proof): readonly string[] {
  return [
    eventsText(receipt),
    ...(isProven(proof) ? ['Their checksum is that of the gateway'] : []),
    ...receipt.gateways.map(
      ({ first_generation: first, last_generation: last }) =>
        `Gateway generation ${first - 1} → ${last}`,
    ),
  ];
}

/* All of it in one line, after it was read. */
export function receiptSummary(receipt: Receipt, proof: Proof): string {
  return `${awayText(receipt)} · ${isProven(proof) ? 'all of it is here ✓' : eventsText(receipt)}`;
}

function isProven(proof: Proof): boolean {
  return proof !== undefined && proof !== 'not-here' && proof.isProven;
}

function awayText({ away_ms: awayMs }: Receipt): string {
  return awayMs === null ? 'Since the beginning' : `Away ${formatLength(awayMs)}`;
}

function eventsText({ events, bytes }: Receipt): string {
  const size =
    bytes < 1_000 ? `${bytes} bytes` : `${Math.round(bytes / 1_000).toLocaleString()} kB`;
  return `${counted(events, 'event')}, ${size}`;
}

function proofLine(receipt: Receipt, proof: Proof): ReceiptLine {
  const seq = receipt.since + 1;
  if (proof === undefined) {
    return { text: 'Checking that all of it is here …', mood: 'plain', seq };
  }
  if (proof === 'not-here') {
    return { text: `Not checked: ${eventsText(receipt)}`, mood: 'plain', seq };
  }
  if (proof.isProven) return { text: 'All of it is here ✓', mood: 'good', seq };
  const missing = proof.missing.map(formatRange).join(', ');
  const text =
    missing === ''
      ? 'One event is not as the gateway has it'
      : `Not all of it is here. Not received: ${missing}`;
  return { text, mood: 'bad', seq: proof.missing[0]?.from ?? seq };
}

function missingLines(ranges: readonly SeqRange[], says: string): readonly ReceiptLine[] {
  if (ranges.length === 0) return [];
  return [
    { text: `${says}: ${ranges.map(formatRange).join(', ')}`, mood: 'bad', seq: ranges[0]?.from },
  ];
}

function formatRange({ from, to }: SeqRange): string {
  return from === to ? `${from}` : `${from}–${to}`;
}

function fileLines({ files, files_total: total, added, removed }: Receipt): readonly ReceiptLine[] {
  if (total === 0) return [];
  const seq = files[0]?.last_seq;
  return [{ text: `${counted(total, 'file')} +${added} −${removed}`, mood: 'plain', seq }];
}

function decisionLines({ decisions, decisions_total: total }: Receipt): readonly ReceiptLine[] {
  const first = decisions[0];
  if (first === undefined) return [];
  const who = new Set(decisions.map(({ by, by_name: name }) => name ?? by));
  const by = who.size === 1 ? ` by ${[...who].join('')}` : '';
  const what = decisions.every(({ class: of }) => of === 'approval') ? 'approval' : 'answer';
  return [{ text: `${counted(total, what)} given${by}`, mood: 'plain', seq: first.seq }];
}

function turnLines({ turns, turns_total: total }: Receipt, seqAt: SeqAt): readonly ReceiptLine[] {
  const failed = turns.filter(({ status }) => status === 'failed' || status === 'interrupted');
  const lines: ReceiptLine[] = [];
  const endOf = (turn: Receipt['turns'][number] | undefined) => turn && seqAt(turn.ended_at);
  if (total > 0) {
    const text = `${counted(total, 'turn')} ended`;
    lines.push({ text, mood: 'plain', seq: endOf(turns.at(-1)) });
  }
  if (failed.length > 0) {
    const codes = [...new Set(failed.map(({ cause, code }) => cause ?? code ?? 'failed'))];
    const text = `${failed.length} of them failed: ${codes.join(', ')}`;
    lines.push({ text, mood: 'bad', seq: endOf(failed[0]) });
  }
  return lines;
}

function stateText({ status, open_asks: asks, waiting_turns: waiting }: Receipt['state']): string {
  if (asks > 0) return 'waiting for you';
  if (status === 'running') return 'working';
  if (waiting > 0) return 'waiting its turn';
  return status === 'archived' ? 'archived' : 'ready for your next message';
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString()} ${what}${count === 1 ? '' : 's'}`;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
