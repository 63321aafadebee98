/*
 * A prompt on its way to an agent. Both calls have keys: whoever does not hear the answer asks again, and finds the same thread and the
 * same turn.
 */
import { resolve } from 'node:path';
import type { CommandContext } from '../command.ts';
import { findHost } from '../hosts/find-one.ts';
import { workdirOf } from '../place/executor.ts';
import { startedOnce } from '../place/gateway/retried.ts';
import type { OpenedGateway } from '../sign-in/open-client.ts';
import type { Watching } from './follow-turns.ts';
import type { Thread, Turn } from './thread-types.ts';

export interface AskWish {
  readonly prompt: string;
  /* As a person named it; undefined: a new one. */
  readonly thread?: string | undefined;
  readonly agent?: string | undefined;
  readonly directory?: string | undefined;
  readonly host?: string | undefined;
  /* For the agent, from the next turn on. */
  readonly chosen?: Readonly<Record<string, string | null>>;
  readonly isDetached: boolean;
}

export interface Sent {
  readonly thread: Thread;
  readonly turn: Turn;
}

interface Sending {
  readonly watching: Watching;
  readonly wish: AskWish;
  readonly before: Thread | undefined;
  readonly signal: AbortSignal;
}

export async function sendPrompt(
  context: CommandContext,
  gateway: OpenedGateway,
  { watching, wish, before, signal }: Sending,
): Promise<Sent> {
  const { client } = gateway;
  const { random } = context;
  const thread = before ?? (await createThread(context, gateway, { watching, wish, signal }));
  const params = { id: thread.id };
  const { chosen = {} } = wish;
  // A new thread has it from the beginning.
  const isChosen = before !== undefined && Object.keys(chosen).length > 0;
  const said = { text: wish.prompt, client_message_id: random.id() };
  const body = isChosen ? { ...said, chosen } : said;
  const { turn } = await startedOnce(
    watching.retry,
    () => client.threads.prompt({ params, body }, { signal }),
    signal,
  );
  return { thread, turn };
}

async function createThread(
  { caller, random }: CommandContext,
  { client, target }: OpenedGateway,
  { watching, wish, signal }: Omit<Sending, 'before'>,
): Promise<Thread> {
  const { agent, directory: typed, host, chosen = {} } = wish;
  // A new thread has nothing that could be taken back.
  const wanted = Object.fromEntries(
    Object.entries(chosen).flatMap(([key, value]) => (value === null ? [] : [[key, value]])),
  );
  const here = resolve(caller.cwd, typed ?? '.');
  const directory = workdirOf(target, { here, typed, host });
  const body = {
    connection_id: host === undefined ? null : (await findHost(client, host)).id,
    ...(agent === undefined ? {} : { agent }),
    ...(directory === undefined ? {} : { directory }),
    ...(Object.keys(wanted).length === 0 ? {} : { chosen: wanted }),
  };
  const options = { idempotencyKey: random.id(), signal };
  const create = () => client.threads.create({ body }, options);
  return (await startedOnce(watching.retry, create, signal)).thread;
}
