/*
 * Conversations with an agent from outside of the browser, over the API.
 */
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { type Client, followThread, type ThreadEvent } from '@clawdfather/sdk';

const clock = createSystemClock();
const random = createSystemRandom();

const ends: readonly unknown[] = ['completed', 'failed', 'cancelled', 'interrupted'];

export function isEnd({ type, payload }: ThreadEvent): boolean {
  return type === 'status' && ends.includes(payload['event']);
}

export function isApproval({ type }: ThreadEvent): boolean {
  return type === 'approval';
}

export async function beginThread(client: Client, agent = 'echo'): Promise<string> {
  const { thread } = await client.threads.create({ body: { agent, connection_id: null } });
  return thread.id;
}

export async function prompt(client: Client, threadId: string, text: string): Promise<void> {
  await client.threads.prompt({
    params: { id: threadId },
    body: { text, client_message_id: random.id() },
  });
}

/* A new thread; its id, once such an event has come. */
export async function talk(
  client: Client,
  text: string,
  isIt: (event: ThreadEvent) => boolean = isEnd,
): Promise<string> {
  const id = await beginThread(client);
  await prompt(client, id, text);
  await untilEvent(client, id, isIt);
  return id;
}

export async function untilEvent(
  client: Client,
  threadId: string,
  isIt: (event: ThreadEvent) => boolean,
): Promise<ThreadEvent> {
  const ending = new AbortController();
  const options = { clock, random, signal: ending.signal };
  try {
    for await (const event of followThread({ client, threadId }, options)) {
      if (isIt(event)) return event;
    }
  } finally {
    ending.abort();
  }
  throw new Error('the thread ended before it came');
}

/* All that there is, from the first on. */
export async function eventsOf(client: Client, threadId: string): Promise<readonly ThreadEvent[]> {
  const all: ThreadEvent[] = [];
  for (;;) {
    const query = { after: all.at(-1)?.seq ?? 0, limit: 500 };
    const { items } = await client.threads.events({ params: { id: threadId }, query });
    if (items.length === 0) return all;
    all.push(...items);
  }
}

/* What people have said in it, in order. */
export function saidIn(events: readonly ThreadEvent[]): readonly string[] {
  return events
    .filter(({ type, payload }) => type === 'message' && payload['role'] === 'user')
    .map(({ payload }) => {
      const [block] = payload['blocks'] as readonly { readonly text?: string }[];
      return block?.text ?? '';
    });
}

/* True for the last one of so many. */
export function counting(
  count: number,
  isIt: (event: ThreadEvent) => boolean,
): (event: ThreadEvent) => boolean {
  let seen = 0;
  return (event) => {
    if (isIt(event)) seen += 1;
    return seen === count;
  };
}
