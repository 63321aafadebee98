/*
 * What is below a directory that is being typed: the names of directories that begin as its last part does.
 *
 * A name that has control characters, turns the direction of writing, or is no UTF-8 could not be shown as what it is, nor typed; it is
 * left out. Hidden ones come when the last part begins with a dot.
 */
export interface Listing {
  readonly items: readonly { readonly name: string; readonly directory: string }[];
  readonly hasMore: boolean;
}

/* Where to look, and how names begin there. */
export interface Typed {
  readonly directory: string;
  readonly start: string;
}

/* As many as a person scrolls through while typing. */
export const itemsMax = 50;
/* Looked at in one directory; beyond it the person types another letter. */
export const entriesMax = 5_000;

const hostile = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufffd]/u;

/* `/srv/pro` is `pro` in `/srv/`; `~` and nothing are all in `~/`. */
export function parseTyped(prefix: string): Typed {
  if (prefix === '' || prefix === '~') return { directory: '~/', start: '' };
  const cut = prefix.lastIndexOf('/') + 1;
  return { directory: prefix.slice(0, cut), start: prefix.slice(cut) };
}

/* `~/` becomes the home directory, where it is known. */
export function withHome(directory: string, home: string): string {
  return directory.startsWith('~/')
    ? `${home.replace(/\/+$/, '')}${directory.slice(1)}`
    : directory;
}

export function isInside(path: string, root: string): boolean {
  const bare = root.replace(/\/+$/, '');
  return path === bare || path.startsWith(`${bare}/`);
}

/* For somebody who types outside of them: the roots that begin so. */
export function rootsAfter(prefix: string, roots: readonly string[], home: string): Listing {
  const typed = prefix === '' || prefix === '~' ? '/' : withHome(prefix, home);
  const items = roots
    .filter((root) => root.startsWith(typed))
    .map((root) => ({ name: root, directory: root }));
  return { items: items.slice(0, itemsMax), hasMore: items.length > itemsMax };
}

export function listingOf(
  names: readonly string[],
  { directory, start }: Typed,
  isCut: boolean,
): Listing {
  const fitting = names
    .filter((name) => name.startsWith(start) && !hostile.test(name))
    .filter((name) => start.startsWith('.') || !name.startsWith('.'))
    .toSorted((one, other) => (one < other ? -1 : 1));
  const items = fitting
    .slice(0, itemsMax)
    .map((name) => ({ name, directory: `${directory}${name}` }));
  return { items, hasMore: isCut || fitting.length > items.length };
}
