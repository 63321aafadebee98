/*
 * Writes a conversation of any length straight into the gateway's database, while no gateway is alive: agents would take an hour for it.
 */
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { RealGateway } from './real-gateway.ts';

export interface WrittenEvent {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly turnId?: string | null;
  /* It had a number, and is not there any more. */
  readonly isRemoved?: boolean;
}

/* The id of the thread. Each event is a second after the one before it. */
export async function fillThread(
  gateway: RealGateway,
  events: readonly WrittenEvent[],
  title = 'A long conversation',
): Promise<string> {
  const [id = ''] = await fillThreads(gateway, [events], title);
  return id;
}

/* Several, with one stop of the gateway. */
export async function fillThreads(
  gateway: RealGateway,
  conversations: readonly (readonly WrittenEvent[])[],
  title = 'A long conversation',
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const _ of conversations) {
    const { thread } = await gateway.client.threads.create({ body: { title } });
    ids.push(thread.id);
  }
  await gateway.kill();
  const database = join(dirname(gateway.directory), 'state', 'control.db');
  for (const [index, id] of ids.entries()) writeEvents(database, id, conversations[index] ?? []);
  await gateway.start();
  return ids;
}

function writeEvents(path: string, threadId: string, events: readonly WrittenEvent[]): void {
  const db = new DatabaseSync(path);
  const beganMs = Date.parse('2026-11-01T08:00:00Z');
  const row = db.prepare('SELECT account_id, last_seq FROM threads WHERE id = ?').get(threadId);
  const { account_id: accountId, last_seq: last } = row as { account_id: string; last_seq: number };
  const insert = db.prepare(
    'INSERT INTO turn_events (account_id, thread_id, seq, turn_id, type, payload_json, at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  db.exec('BEGIN');
  events.forEach(({ type, payload, turnId = null, isRemoved = false }, index) => {
    if (isRemoved) return;
    const seq = last + index + 1;
    const json = JSON.stringify(payload);
    insert.run(accountId, threadId, seq, turnId, type, json, beganMs + index * 1_000);
  });
  db.prepare('UPDATE threads SET last_seq = ? WHERE id = ?').run(last + events.length, threadId);
  db.exec('COMMIT');
  db.close();
}

/* Turns as agents have them: a prompt, a thought, tools, a text that comes in pieces, an end. */
export function ordinaryEvents(count: number): readonly WrittenEvent[] {
  const events: WrittenEvent[] = [];
  for (let turn = 1; events.length < count; turn += 1) events.push(...oneTurn(turn));
  return events.slice(0, count);
}

function oneTurn(number: number): readonly WrittenEvent[] {
  const turnId = `turn-${String(number).padStart(6, '0')}`;
  const event = (type: string, payload: WrittenEvent['payload']): WrittenEvent => ({
    type,
    payload,
    turnId,
  });
  const said = answerOf(number);
  const pieces = said.match(/[\s\S]{1,60}/g) ?? [];
  return [
    event('message', {
      role: 'user',
      blocks: [{ type: 'text', text: `Question ${number}: how does part ${number} work?` }],
    }),
    event('delta', { role: 'thought', text: `I look at part ${number} first.` }),
    ...toolEvents(number, event),
    ...pieces.map((text) => event('delta', { role: 'agent', messageId: `m-${number}`, text })),
    event('usage', { totalTokens: 1_000 + number }),
    event('status', { event: 'completed', result: { code: 'success', stopReason: 'end_turn' } }),
  ];
}

function toolEvents(
  number: number,
  event: (type: string, payload: WrittenEvent['payload']) => WrittenEvent,
): readonly WrittenEvent[] {
  const tools = [
    ['read', `src/part-${number}.ts`],
    ['search', `"part ${number}" in src`],
    ['execute', 'npm test'],
  ] as const;
  return tools.flatMap(([kind, title], index) => {
    const toolCallId = `tool-${index}`;
    const content = [
      { type: 'content', content: { type: 'text', text: `line one\nline two of ${title}` } },
    ];
    return [
      event('tool', { update: 'tool_call', toolCallId, kind, title, status: 'pending' }),
      event('tool', {
        update: 'tool_call_update',
        toolCallId,
        status: number % 7 === 0 && index === 2 ? 'failed' : 'completed',
        content,
      }),
    ];
  });
}

function answerOf(number: number): string {
  return `## Part ${number}

It reads the **journal** from a cursor, and hands on what is new. Two things matter:

- the cursor is kept in the same transaction as the records, so *nothing* is lost;
- a reader that is slow reads on from the file.

\`\`\`ts
export function part${number}(cursor: number): number {
  // Reads on from where the last reader stopped.
  const next = cursor + ${number};
  return next > 10 ? next : 0;
}
\`\`\`

| state | what it means |
| --- | --- |
| open | it can be read |
| done | it has ended |

See [the manual](https://example.com/manual) for more.
`;
}
