/*
 * The files of one build, and where they are kept: one build is one cache. Names are shared by the worker and the page.
 *
 * A cache is removed only when no tab is of its build. Every tab holds a lock with the name of its build for as long as it lives, so
 * a tab that was killed counts no longer, and nothing has to be told.
 */

/* By their addresses, such as `/app/index-1a2b3c4d.js`; without the page itself. */
export interface Build {
  readonly id: string;
  readonly files: readonly string[];
}

const cachePrefix = 'clawdfather-build-';

export function cacheOf(id: string): string {
  return `${cachePrefix}${id}`;
}

/* The names of a build's script and style, which have the hashes of what is in them. */
export function buildIdOf(script: string, style: string): string {
  return [script, style].map((path) => path.replace(/^.*\/|\.[a-z]+$/g, '')).join('.');
}

export function isOurs(cache: string): boolean {
  return cache.startsWith(cachePrefix);
}

/* Pure: which caches can go. */
export function unusedCaches(
  caches: readonly string[],
  own: string,
  held: readonly (string | undefined)[],
): readonly string[] {
  return caches.filter((name) => isOurs(name) && name !== own && !held.includes(name));
}
