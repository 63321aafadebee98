/*
 * Blocks of one stretch of a thread and those of the next, joined: a text that was cut between them goes on, a tool that began in the
 * first has what the second tells of it, a plan is the newer one. Pure, and the same wherever the cuts are: joining page by page, in any
 * order, gives what joining all at once gives.
 *
 * A thread has one text under way at a time, and a `message` event ends it; usage, status and updates of tools may stand in between
 * (docs/threads.md). So a text goes on with the next piece of text, if it is of the same message and has not ended.
 */
import type { Block, PlanBlock, TextBlock, ToolBlock } from './block.ts';
import { blockOfEvent, type ShownEvent } from './block-of-event.ts';

/* Events that come after these blocks. What they know already is left out, so an event that comes twice is shown once. */
export function joinBlocks(
  blocks: readonly Block[],
  events: readonly ShownEvent[],
): readonly Block[] {
  const lastSeq = lastSeqOf(blocks);
  const news = events.filter(({ seq }) => seq > lastSeq);
  return news.length === 0 ? blocks : appendAll(blocks, news.map(blockOfEvent));
}

/* Of two stretches that follow one another. */
export function mergeBlocks(older: readonly Block[], newer: readonly Block[]): readonly Block[] {
  if (older.length === 0) return newer;
  return newer.length === 0 ? older : appendAll(older, newer);
}

export function lastSeqOf(blocks: readonly Block[]): number {
  return blocks.reduce((last, { last_seq }) => Math.max(last, last_seq), 0);
}

function appendAll(older: readonly Block[], newer: readonly Block[]): readonly Block[] {
  const joined = [...older];
  const wanted = new Set(newer.map(keyOf));
  // Where a block of this key is; of texts the last one. Only what is met again has to be found.
  const places = new Map<string, number>();
  for (let index = 0; index < joined.length; index += 1) {
    const key = keyOf(joined[index] as Block);
    if (key !== undefined && wanted.has(key)) places.set(key, index);
  }
  for (const block of newer) {
    const key = keyOf(block);
    const place = key === undefined ? undefined : places.get(key);
    const met = place === undefined ? undefined : joined[place];
    const whole = met && joinTwo(met, block);
    if (whole !== undefined && place !== undefined) joined[place] = whole;
    else {
      if (key !== undefined) places.set(key, joined.length);
      joined.push(block);
    }
  }
  return joined;
}

/* Blocks with the same key may be one; undefined: it stands for itself. */
function keyOf(block: Block): string | undefined {
  switch (block.kind) {
    case 'text':
      return 'text';
    // Agents use an id again in another turn.
    case 'tool':
      return `tool ${block.turn_id} ${block.tool_call_id}`;
    case 'plan':
      return `plan ${block.turn_id}`;
    case 'user':
    case 'content':
    case 'event':
      return undefined;
  }
}

/* Undefined: they are two. */
function joinTwo(older: Block, newer: Block): Block | undefined {
  if (older.kind === 'text' && newer.kind === 'text') return joinTexts(older, newer);
  if (older.kind === 'tool' && newer.kind === 'tool') return joinTools(older, newer);
  if (older.kind === 'plan' && newer.kind === 'plan') return joinPlans(older, newer);
  return undefined;
}

function joinTexts(older: TextBlock, newer: TextBlock): TextBlock | undefined {
  const isSame = older.role === newer.role && older.message_id === newer.message_id;
  if (older.is_complete || !isSame) return undefined;
  const { is_complete, begins_seq, bytes, sha256 } = newer;
  const end = { is_complete, begins_seq, bytes, sha256 };
  return { ...older, ...spanOf(older, newer), text: older.text + newer.text, ...end };
}

function joinTools(older: ToolBlock, newer: ToolBlock): ToolBlock {
  return {
    ...older,
    ...spanOf(older, newer),
    call: { ...older.call, ...newer.call },
    is_begun: older.is_begun || newer.is_begun,
    updates: older.updates + newer.updates,
  };
}

function joinPlans(older: PlanBlock, newer: PlanBlock): PlanBlock {
  const updates = older.updates + newer.updates;
  return { ...older, ...spanOf(older, newer), plan: newer.plan, cut: newer.cut, updates };
}

function spanOf(older: Block, { last_seq, last_at, cut }: Block) {
  return { last_seq, last_at, cut: cut.length === 0 ? older.cut : [...older.cut, ...cut] };
}
