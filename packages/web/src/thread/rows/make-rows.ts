/*
 * Rows from blocks. What a block was drawn as is kept with it, so that while an agent writes only the last text is looked at again.
 *
 * Facts for programs (usage, modes, commands that are offered) make no row of their own; what is not known makes a raw one.
 */
import type {
  Block,
  EventBlock,
  SeqRange,
  TextBlock,
  ToolBlock,
} from '@clawdfather/protocol/history';
import { splitMarkdown, type SplitText } from '../../text/split-markdown.ts';
import { type Facts, isFacts, wordOf } from '../facts.ts';
import { closedAgentWords } from './agent-end-words.ts';
import { guessText, guessTool } from './guess-height.ts';
import type { Edge, Row, TurnEnd } from './row.ts';

export interface RowSource {
  readonly blocks: readonly Block[];
  readonly hasOlder: boolean;
  readonly gaps: readonly SeqRange[];
  /* As the gateway tells of them: when one began whose beginning is on an older page. */
  readonly turns?: readonly { readonly id: string; readonly started_at: string | null }[];
}

const ends: readonly unknown[] = ['completed', 'failed', 'cancelled', 'interrupted'];

/* What is known of a turn on the way to its end. */
interface TurnFacts {
  since: string | null | undefined;
  /* Its beginning is here, and so all of it is. */
  isWhole: boolean;
  tokens?: number | undefined;
  hasChanges?: boolean;
  isUnstarted?: boolean;
}

export function createRowMaker(): (source: RowSource) => readonly Row[] {
  const made = new WeakMap<Block, readonly Row[]>();
  const tools = new WeakMap<ToolBlock, Map<Edge, Row>>();
  const texts = new Map<string, { readonly split: SplitText; readonly rows: readonly Row[] }>();
  const textRows = (block: TextBlock): readonly Row[] => {
    const key = keyOf(block);
    const before = texts.get(key);
    const split = splitMarkdown(block.text, before?.split);
    const rows = rowsOfText(block, split).map((row, index) => {
      const known = before?.rows[index];
      return known !== undefined && isSamePiece(known, row) ? known : row;
    });
    // Only a text that goes on is met again.
    if (block.is_complete) texts.delete(key);
    else texts.set(key, { split, rows });
    return rows;
  };
  const toolRow = (block: ToolBlock, edge: Edge): Row => {
    const known = tools.get(block) ?? new Map<Edge, Row>();
    tools.set(block, known);
    const row = known.get(edge) ?? {
      ...placeOf(block, guessTool(edge)),
      isJoined: edge === 'middle' || edge === 'last',
      kind: 'tool',
      block,
      edge,
    };
    known.set(edge, row);
    return row;
  };
  const rowsOf = (block: Block, turn: TurnFacts): readonly Row[] => {
    const known = made.get(block);
    if (known !== undefined) return known;
    const rows =
      block.kind === 'text' && block.role !== 'thought'
        ? textRows(block)
        : rowsOfOther(block, turn);
    // The end of a turn says more when the pages before it are here.
    if (turn.isWhole || rows[0]?.kind !== 'end') made.set(block, rows);
    return rows;
  };
  return ({ blocks, hasOlder, gaps, turns: told = [] }) => {
    const turns = new Map<string | null, TurnFacts>();
    const factsOf = (id: string | null): TurnFacts => {
      const since = told.find((turn) => turn.id === id)?.started_at;
      const turn = turns.get(id) ?? { since, isWhole: !hasOlder };
      turns.set(id, turn);
      return turn;
    };
    const rows: Row[] = [];
    let gap = 0;
    const shown = hasOlder && isPartial(blocks) ? blocks.slice(1) : blocks;
    for (const block of shown) {
      for (
        let next = gaps[gap];
        next !== undefined && next.from < block.first_seq;
        next = gaps[gap]
      ) {
        rows.push(rowOfGap(next));
        gap += 1;
      }
      const turn = learn(factsOf(block.turn_id), block);
      if (block.kind === 'tool') rows.push(toolRow(block, 'only'));
      else pushOnce(rows, rowsOf(block, turn));
    }
    return joinCards(rows, toolRow);
  };
}

/* The beginning of its first text is on an older page: shown with it, so that what is on the screen is not drawn anew. */
function isPartial([first, ...rest]: readonly Block[]): boolean {
  return first?.kind === 'text' && rest.length > 0 && (first.begins_seq ?? 0) < first.first_seq;
}

/* What the end of a turn says, too, is said there. */
function pushOnce(rows: Row[], next: readonly Row[]): void {
  const [before, end] = [rows.at(-1), next[0]];
  const isSaid =
    before?.kind === 'note' &&
    end?.kind === 'end' &&
    before.turnId === end.turnId &&
    end.end.message?.startsWith(before.text) === true;
  if (isSaid) rows.pop();
  rows.push(...next);
}

/* Neighbours of a kind are one card. */
function joinCards(
  rows: readonly Row[],
  toolRow: (block: ToolBlock, edge: Edge) => Row,
): readonly Row[] {
  return rows.map((row, index) => {
    if (row.kind !== 'tool') return row;
    const isAfter = rows[index - 1]?.kind === 'tool';
    const isBefore = rows[index + 1]?.kind === 'tool';
    const edge = isAfter ? (isBefore ? 'middle' : 'last') : isBefore ? 'first' : 'only';
    return edge === 'only' ? row : toolRow(row.block, edge);
  });
}

/* What is known of its turn with this block. */
function learn(turn: TurnFacts, block: Block): TurnFacts {
  // A turn begins with its message; that it was to wait is told before, and may be within another one.
  if (block.kind === 'user') Object.assign(turn, { since: block.at, isWhole: true });
  if (block.kind === 'event' && block.type === 'usage')
    turn.tokens = tokensOf(block.payload) ?? turn.tokens;
  if (block.kind === 'tool' && hasDiff(block.call)) turn.hasChanges = true;
  if (block.kind === 'event' && block.payload['reason'] === 'spawn-error') turn.isUnstarted = true;
  return turn;
}

function hasDiff({ content }: Facts): boolean {
  return Array.isArray(content) && content.some((one) => isFacts(one) && one['type'] === 'diff');
}

function tokensOf({ totalTokens, inputTokens, outputTokens }: Facts): number | undefined {
  if (typeof totalTokens === 'number') return totalTokens;
  if (typeof inputTokens !== 'number' || typeof outputTokens !== 'number') return undefined;
  return inputTokens + outputTokens;
}

export function keyOf(block: Block): string {
  switch (block.kind) {
    case 'text':
      return `t${block.begins_seq ?? block.first_seq}`;
    case 'tool':
      return `x${block.turn_id}-${block.tool_call_id}`;
    case 'plan':
      return `p${block.turn_id}`;
    default:
      return `e${block.first_seq}`;
  }
}

function placeOf(block: Block, guessPx: number, part = '') {
  return {
    key: `${keyOf(block)}${part}`,
    guessPx,
    turnId: block.turn_id,
    firstSeq: block.first_seq,
    lastSeq: block.last_seq,
  };
}

function rowsOfText(block: TextBlock, { pieces }: SplitText): readonly Row[] {
  return pieces.map((piece, index) => ({
    ...placeOf(block, guessText(piece), `.${index}`),
    isJoined: piece.kind === 'code' && !piece.isFirst,
    kind: 'piece',
    piece,
    block,
    isFirst: index === 0,
    isLast: index === pieces.length - 1,
  }));
}

/* It looks the same: what its block has more of is in the rows after it. */
function isSamePiece(known: Row, row: Row): boolean {
  if (known.kind !== 'piece' || row.kind !== 'piece') return false;
  return known.piece === row.piece && !known.isLast && !row.isLast;
}

function rowsOfOther(block: Block, turn: TurnFacts): readonly Row[] {
  switch (block.kind) {
    case 'user':
      return [{ ...placeOf(block, 72), kind: 'said', block }];
    case 'text':
      return [{ ...placeOf(block, 52), kind: 'thought', block }];
    case 'plan':
      return [{ ...placeOf(block, 160), kind: 'plan', block }];
    case 'content':
      return [{ ...placeOf(block, 120), kind: 'content', block }];
    case 'event':
      return rowsOfEvent(block, turn);
    case 'tool':
      return [];
  }
}

function rowsOfEvent(block: EventBlock, turn: TurnFacts): readonly Row[] {
  const place = placeOf(block, 52);
  switch (block.type) {
    case 'usage':
      return [];
    case 'status':
      return rowsOfStatus(block, turn);
    case 'approval':
    case 'question':
      return block.payload['state'] === 'open' ? [] : [{ ...place, kind: 'decision', block }];
    case 'artifact':
      return [{ ...place, kind: 'artifacts', block }];
    default:
      return [{ ...place, kind: 'raw', block }];
  }
}

/* Told for the record; nothing has failed. */
const calm: readonly unknown[] = ['running', 'chosen', 'choice-changed'];

function rowsOfStatus(block: EventBlock, turn: TurnFacts): readonly Row[] {
  const { payload, turn_id: turnId } = block;
  const place = placeOf(block, 40);
  if (ends.includes(payload['event']) && turnId !== null) {
    return [{ ...place, kind: 'end', end: endOf(block, turnId, turn) }];
  }
  const closed = closedAgentWords(payload);
  if (closed !== undefined) return [{ ...place, kind: 'note', text: closed, mood: 'plain' }];
  const text = wordOf(payload['message']);
  if (text === undefined) return [];
  return [
    { ...place, kind: 'note', text, mood: calm.includes(payload['event']) ? 'plain' : 'bad' },
  ];
}

function endOf({ payload, at }: EventBlock, turnId: string, turn: TurnFacts): TurnEnd {
  const result = isFacts(payload['result']) ? payload['result'] : {};
  return {
    turnId,
    status: wordOf(payload['event']) ?? '',
    code: wordOf(result['code']) ?? '',
    cause: wordOf(result['cause']),
    message: wordOf(result['message']),
    at,
    since: turn.since ?? undefined,
    tokens: turn.tokens,
    hasChanges: turn.hasChanges ?? (turn.isWhole ? false : undefined),
    isUnstarted: turn.isUnstarted === true,
  };
}

function rowOfGap({ from, to }: SeqRange): Row {
  const place = { key: `g${from}`, guessPx: 52, turnId: null, firstSeq: from, lastSeq: to };
  return { ...place, kind: 'gap', from, to };
}
