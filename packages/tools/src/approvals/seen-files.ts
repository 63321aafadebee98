/*
 * Where a command finds what it names, if that is not where we would: a shield puts private directories in the place of /tmp and the
 * like. Whatever is decided about a command is decided about the files that it will find. The shield implements it
 * (shield/see-files.ts); absent means that the command sees what we see.
 */

export type Seen =
  /* `inside` is its name for the command, `outside` the same file for us; neither has links in it. */
  | { readonly kind: 'at'; readonly inside: string; readonly outside: string }
  /* Nothing is there for the command. */
  | { readonly kind: 'none' }
  /* It may be one thing or another. */
  | { readonly kind: 'unsure'; readonly why: string };

export interface SeenFiles {
  /* The path is absolute; links are followed as the command would follow them. */
  find(path: string): Promise<Seen>;
  /* The same, where nothing can wait. */
  findNow(path: string): Seen;
}

/* In a private directory, which every shielded command can write to. */
export function isPrivate(seen: Extract<Seen, { kind: 'at' }>): boolean {
  return seen.inside !== seen.outside;
}
