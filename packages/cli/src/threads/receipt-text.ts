/*
 * A receipt for people: one line for each fact, its name in front.
 */
import { columnsOf, makeVisible } from '@clawdfather/tools/text';
import { formatBytes } from '../render/bytes.ts';
import { formatDuration } from '../render/duration.ts';
import type { Paint } from '../render/paint.ts';
import { formatCounts } from './changes-text.ts';
import type { Receipt, WholeReceipt } from './read-receipt.ts';

export interface ReceiptLook {
  readonly title: string;
  /* It begins where you left off, and not where you said. */
  readonly isSinceSeen: boolean;
  readonly paint: Paint;
}

/* The longest name, and two spaces. */
const nameColumns = 11;

export function formatReceipt(whole: WholeReceipt, look: ReceiptLook): string {
  const { paint } = look;
  const facts: readonly (readonly [string, readonly string[]])[] = [
    ['Thread', [`${whole.first.thread_id} ${makeVisible(look.title)}`.trimEnd()]],
    ['Since', [formatSince(whole, look.isSinceSeen)]],
    ['Away', [whole.away_ms === null ? 'not known' : formatDuration(whole.away_ms)]],
    ['Gateway', formatGateways(whole.gateways)],
    ['Events', [formatProof(whole, paint)]],
    ['Checksum', whole.parts.map(({ receipt }) => formatChecksum(receipt, whole))],
    ['Files', formatFiles(whole, paint)],
    ['Decisions', formatDecisions(whole)],
    ['Turns', formatTurns(whole, paint)],
    ['Now', [formatState(whole.last.state)]],
  ];
  return facts
    .flatMap(([name, lines]) =>
      lines.map((line, index) => {
        const label = (index === 0 ? name : '').padEnd(nameColumns);
        return `${index === 0 ? paint.dim(label) : label}${line}\n`;
      }),
    )
    .join('');
}

function formatSince({ since }: WholeReceipt, isSinceSeen: boolean): string {
  const where = since === 0 ? 'the beginning' : `event ${since}`;
  if (!isSinceSeen) return where;
  return since === 0
    ? `${where}: you have seen nothing of it yet`
    : `${where}, the last that you have seen`;
}

function formatGateways(gateways: Receipt['gateways']): readonly string[] {
  if (gateways.length === 0) return ['not restarted'];
  return gateways.map((one) => {
    const times = one.starts === 1 ? 'started once' : `started ${one.starts} times`;
    const { first_generation: first, last_generation: last } = one;
    const which = first === last ? `generation ${last}` : `generations ${first} to ${last}`;
    return `${times}, ${which} (${makeVisible(one.instance_id)})`;
  });
}

function formatProof(whole: WholeReceipt, paint: Paint): string {
  const { events, received, missing } = whole;
  const size = formatBytes(whole.bytes);
  if (whole.isProven) {
    return events === 0 ? 'none' : `${events}, ${size}: ${paint.good('all received ✓')}`;
  }
  if (missing.length > 0) {
    return `${received} received, ${paint.bad(`missing: ${formatRanges(missing)}`)}`;
  }
  return `${events}, ${size}: ${paint.bad('received, but not as the gateway counts them')}`;
}

/* More do not help anybody. */
const rangesMax = 20;

export function formatRanges(
  ranges: readonly { readonly from: number; readonly to: number }[],
): string {
  const shown = ranges
    .slice(0, rangesMax)
    .map(({ from, to }) => (from === to ? String(from) : `${from}–${to}`));
  if (ranges.length > rangesMax) shown.push('…');
  return shown.join(', ');
}

function formatChecksum({ checksum, since, through }: Receipt, { parts }: WholeReceipt): string {
  return parts.length === 1 ? checksum : `${checksum} of ${since + 1}–${through}`;
}

function formatFiles(whole: WholeReceipt, paint: Paint): readonly string[] {
  const { files, filesTotal, added, removed } = whole;
  if (filesTotal === 0) return ['none changed, as far as the agent has told'];
  const partly = whole.filesArePartial ? ', and some that are not counted' : '';
  const width = Math.max(...files.map(({ path }) => columnsOf(makeVisible(path))));
  return [
    `${filesTotal} changed, ${formatCounts({ added, removed }, paint)}${partly}`,
    ...files.map((file) => {
      const how = file.kind === 'text' ? formatCounts(file, paint) : file.kind.replace('_', ' ');
      const path = makeVisible(file.path);
      return `${path}${' '.repeat(width - columnsOf(path))}  ${how}`;
    }),
    ...formatRest(filesTotal, files.length),
  ];
}

function formatDecisions({ decisions, decisionsTotal }: WholeReceipt): readonly string[] {
  if (decisionsTotal === 0) return ['none'];
  return [
    ...decisions.map(({ by, by_name: name, answer, ask_id: ask, seq }) => {
      const who = makeVisible(name ?? by);
      return `${who} answered "${makeVisible(answer)}" to ${makeVisible(ask)} (event ${seq})`;
    }),
    ...formatRest(decisionsTotal, decisions.length),
  ];
}

function formatTurns({ turns, turnsTotal }: WholeReceipt, paint: Paint): readonly string[] {
  if (turnsTotal === 0) return ['none ended'];
  return [
    ...turns.map(({ turn_id: id, status, code, cause }) => {
      const isGood = status === 'completed';
      const why = [isGood ? null : code, cause].filter((word) => word !== null).map(makeVisible);
      const how = isGood ? paint.good(status) : paint.bad(makeVisible(status));
      return `${makeVisible(id)} ${how}${why.length === 0 ? '' : `: ${why.join(', ')}`}`;
    }),
    ...formatRest(turnsTotal, turns.length),
  ];
}

function formatRest(total: number, shown: number): readonly string[] {
  return total > shown ? [`and ${total - shown} more`] : [];
}

function formatState(state: Receipt['state']): string {
  const { status, waiting_turns: waiting, open_asks: asks } = state;
  const words: string[] = [status];
  if (waiting > 0) words.push(waiting === 1 ? '1 turn waits' : `${waiting} turns wait`);
  if (asks > 0)
    words.push(
      asks === 1 ? '1 ask is open: clf approvals' : `${asks} asks are open: clf approvals`,
    );
  return words.join(', ');
}
