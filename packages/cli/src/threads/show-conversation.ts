/*
 * A whole conversation as a page for people: what was said, the tools between, and how each turn ended, in their order.
 */
import { makeVisible } from '@clawdfather/tools/text';
import { formatAge } from '../render/duration.ts';
import type { Paint } from '../render/paint.ts';
import type { Conversation, Message, ToolUse } from './conversation.ts';
import { standingOfThread } from './thread-standing.ts';
import type { Thread, TurnEnd } from './thread-types.ts';
import { cleanText, formatPrompt } from './transcript.ts';
import { formatTurnEnd } from './turn-end.ts';

export interface PageOptions {
  readonly paint: Paint;
  readonly nowMs: number;
}

export function formatConversation(
  thread: Thread,
  conversation: Conversation,
  options: PageOptions,
): string {
  const { messages, tools, ends, notices } = conversation;
  const parts = [
    ...messages.map((message) => ({ ...message, text: formatMessage(thread, message, options) })),
    ...tools.map((tool) => ({ ...tool, text: formatTool(tool, options) })),
    ...ends.map(({ seq, end }) => ({ seq, text: formatEnd(end, options) })),
    ...notices.map(({ seq, message }) => ({ seq, text: `clf: ${makeVisible(message)}\n` })),
  ];
  const body = parts.toSorted((one, other) => one.seq - other.seq).map(({ text }) => text);
  return [formatHead(thread, options), ...body].join('');
}

function formatHead(thread: Thread, { paint, nowMs }: PageOptions): string {
  const { id, title, agent, directory, current_choices: choices = [] } = thread;
  const stands = choices.map(({ name, value_name: value }) => `${name}: ${value}`).join(', ');
  const facts: readonly (readonly [string, string])[] = [
    ['thread', id],
    ['title', title],
    ['agent', `${agent}, in ${directory}`],
    ...(stands === '' ? [] : ([['choices', stands]] as const)),
    [
      'status',
      `${standingOfThread(thread)}, changed ${formatAge(nowMs, Date.parse(thread.updated_at))}`,
    ],
  ];
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts
    .map(([name, value]) => `${paint.dim(name.padEnd(width))}  ${makeVisible(value)}\n`)
    .join('');
}

function formatMessage(
  { agent }: Thread,
  { role, text, at, isWhole }: Message,
  { paint, nowMs }: PageOptions,
): string {
  const when = paint.dim(formatAge(nowMs, Date.parse(at)));
  if (role === 'user') return `\n${paint.strong('you')} ${when}\n${formatPrompt(text)}`;
  const name = role === 'thought' ? `${makeVisible(agent)} thinks` : makeVisible(agent);
  const shown = cleanText(text);
  const rest = isWhole ? '' : paint.dim('[goes on]\n');
  const whole = `${shown}${shown.endsWith('\n') ? '' : '\n'}${rest}`;
  return `\n${paint.strong(name)} ${when}\n${role === 'thought' ? paint.dim(whole) : whole}`;
}

function formatTool({ title, status }: ToolUse, { paint }: PageOptions): string {
  const ends: Readonly<Record<string, string>> = {
    completed: paint.good('ok'),
    failed: paint.bad('failed'),
  };
  const end = ends[status ?? ''] ?? 'not ended';
  return `${paint.dim(`> ${makeVisible(title)}`)}: ${end}\n`;
}

function formatEnd(end: TurnEnd, { paint }: PageOptions): string {
  const text = formatTurnEnd(end);
  return text === undefined ? '' : `${paint.warn(`clf: ${text}`)}\n`;
}
