/*
 * Whether what is stored of a run is what its journal says. Pure.
 */
import type { Fact, FactKind, SaidFacts } from './said-facts.ts';

export interface Difference {
  readonly kind: FactKind;
  /*
   * `changed`: another one stands there. `missing`: the journal has more than the database. `added`: the database has more.
   * `end-unfit`: the event that ends a text has another length or hash than the text.
   */
  readonly what: 'changed' | 'missing' | 'added' | 'end-unfit';
  /* The event where they part; of what is missing the last that is there, 0 where none is. */
  readonly seq: number;
  readonly lastSeq: number;
  readonly stored: string | undefined;
  readonly replayed: string | undefined;
}

export type Compared =
  | { readonly outcome: 'same'; readonly compared: number }
  | { readonly outcome: 'differs'; readonly compared: number; readonly first: Difference };

export function compareWithJournal(stored: SaidFacts, replayed: SaidFacts): Compared {
  const found = [
    firstDifference(stored.said, replayed.said),
    firstDifference(stored.asks, replayed.asks),
  ].filter((one) => one !== undefined);
  const [first] = found.toSorted((one, other) => one.seq - other.seq);
  const compared = stored.said.length + stored.asks.length;
  return first === undefined
    ? { outcome: 'same', compared }
    : { outcome: 'differs', compared, first };
}

function firstDifference(
  stored: readonly Fact[],
  replayed: readonly Fact[],
): Difference | undefined {
  for (const [index, mine] of stored.entries()) {
    const theirs = replayed[index];
    const { kind, seq, lastSeq, sha256, unfitSeq } = mine;
    const hashes = { stored: sha256, replayed: theirs?.sha256 };
    if (theirs === undefined) return { kind, what: 'added', seq, lastSeq, ...hashes };
    if (theirs.sha256 !== sha256 || theirs.kind !== kind) {
      return { kind, what: 'changed', seq, lastSeq, ...hashes };
    }
    if (unfitSeq !== undefined) {
      return { kind, what: 'end-unfit', seq: unfitSeq, lastSeq: unfitSeq, ...hashes };
    }
  }
  const more = replayed[stored.length];
  if (more === undefined) return undefined;
  const seq = stored.at(-1)?.lastSeq ?? 0;
  const { kind, sha256 } = more;
  return { kind, what: 'missing', seq, lastSeq: seq, stored: undefined, replayed: sha256 };
}
