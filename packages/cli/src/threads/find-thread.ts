/*
 * From what a person typed to the one thread that is meant: its id, its title, or a unique beginning of its id.
 */
import { suggestNearest } from '@clawdfather/kit';
import type { Client } from '@clawdfather/sdk';
import { makeVisible } from '@clawdfather/tools/text';
import { CliError } from '../errors.ts';
import { allPages } from '../place/gateway/all-pages.ts';
import { shortIdChars } from '../runs/find-run.ts';
import type { Thread } from './thread-types.ts';

/* Enough to show that there are several. */
const candidatesMax = 6;

export async function findThread(client: Client, typed: string): Promise<Thread> {
  const byId = /^[0-9a-z]{1,16}$/.test(typed) ? await beginningWith(client, typed) : [];
  const exact = byId.find(({ id }) => id === typed);
  if (exact !== undefined) return exact;
  const all = await readThreads(client, true);
  return pickThread(all, byId, typed);
}

/* Archived ones too: they can be looked at. */
async function beginningWith(client: Client, prefix: string): Promise<readonly Thread[]> {
  const query = { id_prefix: prefix, limit: candidatesMax, archived: 'true' } as const;
  return (await client.threads.list({ query })).items;
}

/* Newest first. */
export function readThreads(client: Client, isArchivedToo: boolean): Promise<Thread[]> {
  const archived = isArchivedToo ? 'true' : 'false';
  return allPages((page) => client.threads.list({ query: { ...page, archived } }));
}

/* A title comes before a beginning of an id that nobody chose; of namesakes the one that is not archived is meant. */
export function pickThread(all: readonly Thread[], byId: readonly Thread[], typed: string): Thread {
  const named = typed === '' ? [] : all.filter(({ title }) => title === typed);
  const open = named.filter(({ status }) => status !== 'archived');
  const titled = open.length > 0 ? open : named;
  const found = titled.length > 0 ? titled : byId;
  const [one, ...others] = found;
  if (one !== undefined && others.length === 0) return one;
  if (one === undefined) throw notFound(all, typed);
  const list = found
    .slice(0, candidatesMax - 1)
    .map(({ id, title }) => `${id} (${makeVisible(title)})`);
  const more = found.length > list.length ? ', …' : '';
  throw new CliError('thread-ambiguous', `several threads match "${makeVisible(typed)}"`, {
    hint: `Say which: ${list.join(', ')}${more}`,
    detail: { typed },
  });
}

function notFound(all: readonly Thread[], typed: string): CliError {
  const words = all.flatMap(({ id, title }) => [title, id.slice(0, typed.length)]);
  const nearest = typed.length < 4 ? undefined : suggestNearest(typed, [...new Set(words)]);
  return new CliError('thread-not-found', `no thread is called "${makeVisible(typed)}"`, {
    hint:
      nearest === undefined
        ? 'All of them: clf threads ls -a'
        : `Did you mean ${makeVisible(nearest)}?`,
    detail: { typed },
  });
}

export function shortThread({ id }: Pick<Thread, 'id'>): string {
  return id.slice(0, shortIdChars);
}
