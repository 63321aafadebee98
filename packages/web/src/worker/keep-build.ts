/*
 * Takes the files of this build into its cache, all or none, and lets go of caches that no tab needs.
 */
import { type Build, cacheOf, unusedCaches } from './build-files.ts';
import { isTrueFile } from './what-to-serve.ts';

const pageAddress = '/';

/*
 * Throws when one of them cannot be had: then the worker of before stays, with its build. A build that is here whole is left alone: it comes
 * again when a version was taken back, and the tabs that are of it live from its cache.
 */
export async function keepBuild({ id, files }: Build): Promise<void> {
  const cache = await caches.open(cacheOf(id));
  if (await isWhole(cache, files)) return;
  try {
    await Promise.all([
      keepPage(cache, files),
      ...files.map(async (path) => {
        // Names with hashes never change, so what the browser has is good; the others are asked for anew.
        const answer = await fetch(path, {
          cache: path.startsWith('/app/') ? 'default' : 'no-cache',
        });
        if (!isTrueFile(answer)) throw new Error(`${path} cannot be had`);
        await cache.put(path, answer);
      }),
    ]);
  } catch (error) {
    await caches.delete(cacheOf(id));
    throw error;
  }
}

async function isWhole(cache: Cache, files: readonly string[]): Promise<boolean> {
  const kept = new Set((await cache.keys()).map(({ url }) => new URL(url).pathname));
  return [pageAddress, ...files].every((path) => kept.has(path));
}

/* Between our script and the page a gateway of another version may have answered: a page that does not name our files is not ours. */
async function keepPage(cache: Cache, files: readonly string[]): Promise<void> {
  const answer = await fetch(pageAddress, { cache: 'no-cache' });
  const text = await answer.clone().text();
  const named = [...text.matchAll(/\/app\/[\w.-]+/g)].map(([path]) => path);
  if (!answer.ok || named.length === 0 || !named.every((path) => files.includes(path))) {
    throw new Error('the page is of another build');
  }
  await cache.put(pageAddress, answer);
}

export async function pageOf({ id }: Build): Promise<Response> {
  const kept = await (await caches.open(cacheOf(id))).match(pageAddress);
  return kept ?? fetch(pageAddress);
}

/* Of whichever build it is; a tab may be of an earlier one. */
export async function fileOf(request: Request): Promise<Response> {
  const kept = await caches.match(request, { ignoreSearch: true });
  if (kept !== undefined) return kept;
  const answer = await fetch(request);
  if (answer.ok && !isTrueFile(answer)) return new Response(null, { status: 404 });
  return answer;
}

/* A build that is being taken in, or waits, has a cache that no tab holds yet: while there is one, nothing goes. It cleans up when it takes over. */
export async function removeUnused(
  own: string,
  registration: Pick<ServiceWorkerRegistration, 'installing' | 'waiting'>,
): Promise<void> {
  const { held = [] } = await navigator.locks.query();
  const names = held.map(({ name }) => name);
  const unused = unusedCaches(await caches.keys(), cacheOf(own), names);
  // Looked at last: an install that begins after this has a cache that is not among these.
  if (registration.installing !== null || registration.waiting !== null) return;
  await Promise.all(unused.map((name) => caches.delete(name)));
}
