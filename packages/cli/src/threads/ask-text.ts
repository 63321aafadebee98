/*
 * What an agent asks, for people. As with approvals nothing of it is cut: what cannot be seen cannot be allowed. What the agent wrote is
 * made visible, and each row of it begins with a mark of ours.
 */
import { makeVisible } from '@clawdfather/tools/text';
import type { ApprovalRecord } from '@clawdfather/tools';
import {
  type ApprovalBlock,
  type ApprovalTextOptions,
  approvalBlock,
  formatBlocks,
  markedRows,
} from '../approvals/approval-text.ts';
import { shortApprovalChars } from '../approvals/find-approval.ts';
import { formatAge } from '../render/duration.ts';
import { isObject, textAt } from './thread-fact.ts';
import type { Ask } from './thread-types.ts';

type TextOptions = Pick<ApprovalTextOptions, 'paint' | 'columnsMax'>;

/* One list of all that waits for a person. What is over comes first, whatever its age; where all wait, the oldest does. */
export function formatWaiting(
  records: readonly ApprovalRecord[],
  asks: readonly Ask[],
  options: ApprovalTextOptions,
): string {
  const blocks = [
    ...records.map((record) => approvalBlock(record, options)),
    ...asks.map((ask) => askBlock(ask, options)),
  ];
  const isSorted = !options.isAll;
  const ordered = isSorted ? blocks.toSorted((one, other) => one.atMs - other.atMs) : blocks;
  return formatBlocks(ordered, options);
}

/* For the list that it shares with the approvals of commands. */
export function askBlock(ask: Ask, options: ApprovalTextOptions): ApprovalBlock {
  const { paint, nowMs } = options;
  const askedAtMs = Date.parse(ask.asked_at);
  return {
    atMs: askedAtMs,
    facts: [
      { text: ask.id.slice(0, shortApprovalChars), paint: paint.strong },
      { text: formatAge(nowMs, askedAtMs) },
      stateFact(ask, options),
      { text: makeVisible(`agent ${ask.agent}`) },
      { text: `thread ${ask.thread_id.slice(0, shortApprovalChars)}` },
    ],
    details: [
      ...askedRows(ask, options),
      ...(isOpen(ask) ? optionRows(ask, options) : endRows(ask, options)),
    ],
  };
}

function endRows(ask: Ask, { paint, nowMs }: ApprovalTextOptions): string[] {
  const at = ask.decided_at === null ? '' : ` ${formatAge(nowMs, Date.parse(ask.decided_at))}`;
  return [paint.dim(`  ${formatAskEnd(ask) ?? ''}${at}`)];
}

function isOpen({ state }: Pick<Ask, 'state'>): boolean {
  return state === 'open';
}

function stateFact(ask: Ask, { isAll, paint }: ApprovalTextOptions) {
  if (!isAll) return { text: '-' };
  return isOpen(ask) ? { text: 'open', paint: paint.warn } : { text: standingOf(ask) };
}

/* As with the commands of others: allowed or denied, which `answered` would leave open. */
function standingOf({ state, answer_kind: kind }: EndedAsk): string {
  return state === 'answered' ? answerWord(kind) : state === 'acting' ? 'allowed' : state;
}

type EndedAsk = Pick<Ask, 'state' | 'answer_kind'>;

function answerWord(kind: Ask['answer_kind']): string {
  switch (kind) {
    case 'allow_once':
      return 'allowed';
    case 'allow_always':
      return 'allowed always';
    case 'reject_once':
      return 'denied';
    case 'reject_always':
      return 'denied always';
    case 'decline':
      return 'declined';
    case 'cancel':
      return 'dropped';
    default:
      // A form that was filled in, or by a gateway or an option of which no more is known.
      return 'answered';
  }
}

/* What is asked, without the answers that are offered. */
export function askedRows(ask: Pick<Ask, 'title' | 'params'>, options: TextOptions): string[] {
  const rows = [...markedRows(makeVisible(ask.title), '?', options)];
  const { toolCall, requestedSchema } = ask.params;
  if (isObject(toolCall)) rows.push(...toolRows(toolCall, options));
  if (isObject(requestedSchema)) {
    rows.push(...fieldRows(requestedSchema['properties'], options));
  }
  return rows;
}

function toolRows(toolCall: Readonly<Record<string, unknown>>, options: TextOptions): string[] {
  const { rawInput, content, locations } = toolCall;
  const places = [content, locations]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .filter(isObject)
    .flatMap((one) => textAt(one, 'path') ?? []);
  return [
    ...fieldRows(rawInput, options),
    ...[...new Set(places)].flatMap((path) => markedRows(makeVisible(path), 'file', options)),
  ];
}

/* Each line of each field. */
function fieldRows(fields: unknown, options: TextOptions): string[] {
  if (!isObject(fields)) return [];
  return Object.entries(fields).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const [first = '', ...more] = text.replace(/\n$/, '').split('\n');
    return [`${name}: ${first}`, ...more].flatMap((line) =>
      markedRows(makeVisible(line), '|', options),
    );
  });
}

/* Its kind is what the agent says the option does, whatever its name says. */
function optionRows({ options }: Ask, { paint }: TextOptions): string[] {
  return options.map(({ option_id: id, name, kind }) =>
    paint.dim(makeVisible(`  --option ${id}: ${name} (${kind})`)),
  );
}

/* With numbers to type. */
export function numberedOptions({ options }: Pick<Ask, 'options'>): string[] {
  return options.map(({ name, kind }, index) => makeVisible(`  ${index + 1}  ${name} (${kind})`));
}

/* How it ended, in one line; undefined while it waits. */
export function formatAskEnd(ask: EndedAsk & Pick<Ask, 'decided_by'>): string | undefined {
  switch (ask.state) {
    case 'open':
      return undefined;
    case 'acting':
      return `allowed by ${makeVisible(ask.decided_by ?? 'the policy of its host')}`;
    case 'answered':
      return `${answerWord(ask.answer_kind)} by ${makeVisible(ask.decided_by ?? 'somebody')}`;
    case 'withdrawn':
      return 'withdrawn by the agent';
    case 'void':
      return 'over: its turn or its agent has ended';
  }
}
