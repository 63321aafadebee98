/*
 * Hosts, keys and sessions of an account, and the one that a word means: by its label, or by the beginning of its id.
 */
import type { Client } from '@clawdfather/sdk';
import { makeVisible } from '@clawdfather/tools/text';
import { shellWord } from '@clawdfather/kit/files';
import { CliError, type CliErrorCode, usageError } from '../errors.ts';
import { allPages } from '../place/gateway/all-pages.ts';

export type Host = Awaited<ReturnType<Client['connections']['get']>>['connection'];
export type Key = Awaited<ReturnType<Client['keys']['create']>>['key'];
export type Session = Awaited<ReturnType<Client['sessions']['get']>>['session'];

export function readHosts(client: Client): Promise<Host[]> {
  return allPages((query) => client.connections.list({ query }));
}

export function readKeys(client: Client): Promise<Key[]> {
  return allPages((query) => client.keys.list({ query }));
}

export async function findHost(client: Client, typed: string): Promise<Host> {
  return pick(await readHosts(client), { typed, noun: 'host', code: 'host-not-found' });
}

/* A label means the key that is active: the one before it has the same until it goes. */
export async function findKey(client: Client, typed: string): Promise<Key> {
  return pickKey(await readKeys(client), typed);
}

export function pickKey(keys: readonly Key[], typed: string): Key {
  const active = keys.find(({ label, status }) => label === typed && status === 'active');
  return active ?? pick(keys, { typed, noun: 'key', code: 'key-not-found' });
}

/* The one that is named, or the only one there is. */
export async function findKeyOrOnly(client: Client, typed: string | undefined): Promise<Key> {
  if (typed !== undefined) return findKey(client, typed);
  const active = (await readKeys(client)).filter(({ status }) => status === 'active');
  const [only, ...others] = active;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined) {
    throw new CliError('key-not-found', 'there is no key yet', {
      hint: 'Make one: clf key create LABEL. clf host add makes one by itself.',
    });
  }
  const labels = active.map(({ label }) => makeVisible(label)).join(', ');
  throw usageError(`there are several keys: ${labels}`, 'Say which.');
}

/* A label as a command line that is shown has it. */
export function labelWord({ label }: { readonly label: string }): string {
  return shellWord(makeVisible(label));
}

interface Labelled {
  readonly id: string;
  readonly label: string;
}

interface Wanted {
  readonly typed: string;
  readonly noun: 'host' | 'key';
  readonly code: CliErrorCode;
}

function pick<Item extends Labelled>(items: readonly Item[], { typed, noun, code }: Wanted): Item {
  const named = items.find(({ label }) => label === typed);
  const [one, ...others] =
    named === undefined ? items.filter(({ id }) => id.startsWith(typed)) : [named];
  if (one !== undefined && others.length === 0 && typed !== '') return one;
  const message = one === undefined || typed === '' ? `no ${noun} is` : `several ${noun}s are`;
  throw new CliError(code, `${message} called "${makeVisible(typed)}"`, {
    hint: `All of them: clf ${noun} ls`,
    detail: { typed },
  });
}
