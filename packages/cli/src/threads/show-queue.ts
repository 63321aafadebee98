/*
 * The queue for people: the lanes on top, then what waits, in its order.
 */
import { makeVisible } from '@clawdfather/tools/text';
import { formatDuration } from '../render/duration.ts';
import type { Paint } from '../render/paint.ts';
import { formatTable } from '../render/table.ts';
import { shortIdChars } from '../runs/find-run.ts';
import { shortThread } from './find-thread.ts';
import type { QueueAnswer, QueueLane } from './thread-types.ts';

interface Layout {
  readonly paint: Paint;
  readonly nowMs: number;
  readonly columns: number | undefined;
  /* Of the threads, by their ids. */
  readonly titles: ReadonlyMap<string, string>;
}

export function formatQueue(queue: QueueAnswer, layout: Layout): string {
  const { items, total } = queue;
  const lanes = formatLanes(queue.lanes, layout);
  if (items.length === 0) {
    return `${lanes}\nNothing of yours waits. What is said while an agent works waits here: clf say THREAD "…"\n`;
  }
  const more = total > items.length ? `… and ${total - items.length} more\n` : '';
  return `${lanes}\n${formatTurns(queue, layout)}${more}`;
}

const laneTitles = { account: 'your account', gateway: 'this gateway' } as const;

function formatLanes(lanes: readonly QueueLane[], { paint, nowMs, columns }: Layout): string {
  const rows = lanes.map(({ lane, agent, oldest_queued_at: oldest, ...numbers }) => [
    { text: lane === 'agent' ? makeVisible(agent ?? '') : laneTitles[lane], paint: paint.strong },
    { text: `${numbers.active} of ${numbers.active_max}` },
    { text: `${numbers.waiting} of ${numbers.waiting_max}` },
    { text: oldest === null ? '-' : formatDuration(nowMs - Date.parse(oldest)) },
    { text: formatDuration(numbers.wait_ms_max) },
  ]);
  const headers = ['LANE', 'RUNNING', 'WAITING', 'OLDEST', 'LONGEST WAIT'];
  return formatTable({ headers, paintHeader: paint.dim, columnsMax: columns }, rows);
}

function formatTurns({ items }: QueueAnswer, { paint, nowMs, columns, titles }: Layout): string {
  const rows = items.map((turn) => [
    { text: String(turn.position) },
    { text: turn.turn_id.slice(0, shortIdChars), paint: paint.strong },
    { text: shortThread({ id: turn.thread_id }) },
    { text: makeVisible(turn.agent) },
    { text: formatDuration(nowMs - Date.parse(turn.queued_at)) },
    { text: makeVisible(turn.reason.message) },
    { text: makeVisible(titles.get(turn.thread_id) ?? '-') },
  ]);
  const headers = ['#', 'TURN', 'THREAD', 'AGENT', 'WAITED', 'REASON', 'TITLE'];
  const dispensable = ['AGENT', 'THREAD'];
  return formatTable({ headers, paintHeader: paint.dim, columnsMax: columns, dispensable }, rows);
}
