/*
 * Which keys a connection has while one is being rotated.
 *
 * The new key has to be installed on each host by a person, and until that is done the old one is the only way in. So a rotation
 * changes no connection at once: it keeps its key, gets the new one beside it, and both are offered, the new one first. A login with
 * the new one is the proof, and only then the old one is let go.
 */

export type ConnectionKeys =
  | { readonly kind: 'settled'; readonly keypairId: string }
  | { readonly kind: 'changing'; readonly keypairId: string; readonly nextKeypairId: string };

export type ConnectionKeysEvent =
  /* A key was replaced by another one. */
  | { readonly type: 'rotated'; readonly from: string; readonly to: string }
  /* A login succeeded, and this key signed it. */
  | { readonly type: 'proven'; readonly keypairId: string }
  | { readonly type: 'revoked'; readonly keypairId: string }
  /* A person gave the connection another key. */
  | { readonly type: 'chosen'; readonly keypairId: string };

export type NextConnectionKeys = (
  keys: ConnectionKeys,
  event: ConnectionKeysEvent,
) => ConnectionKeys;

export const nextConnectionKeys: NextConnectionKeys = (keys, event) => {
  switch (event.type) {
    case 'rotated':
      return rotated(keys, event);
    case 'proven':
      return isNext(keys, event.keypairId) ? settled(event.keypairId) : keys;
    case 'revoked':
      return revoked(keys, event.keypairId);
    case 'chosen':
      // The same key again is no choice, and a rotation goes on.
      return event.keypairId === keys.keypairId ? keys : settled(event.keypairId);
  }
};

/* From its record. */
export function connectionKeysOf({
  keypairId,
  nextKeypairId,
}: {
  readonly keypairId: string;
  readonly nextKeypairId?: string | undefined;
}): ConnectionKeys {
  return nextKeypairId === undefined
    ? settled(keypairId)
    : { kind: 'changing', keypairId, nextKeypairId };
}

/* In the order in which ssh offers them. */
export function keysToOffer(keys: ConnectionKeys): readonly string[] {
  return keys.kind === 'settled' ? [keys.keypairId] : [keys.nextKeypairId, keys.keypairId];
}

function rotated(
  keys: ConnectionKeys,
  { from, to }: { readonly from: string; readonly to: string },
): ConnectionKeys {
  // The new one was rotated before it was proven: the old one is still the way in.
  const isMeant = isNext(keys, from) || (keys.kind === 'settled' && keys.keypairId === from);
  return isMeant ? { kind: 'changing', keypairId: keys.keypairId, nextKeypairId: to } : keys;
}

/* With the old key gone there is only the new one, proven or not. With the new one gone the old one stays. */
function revoked(keys: ConnectionKeys, keypairId: string): ConnectionKeys {
  if (keys.kind === 'settled') return keys;
  if (keys.keypairId === keypairId) return settled(keys.nextKeypairId);
  return keys.nextKeypairId === keypairId ? settled(keys.keypairId) : keys;
}

function isNext(keys: ConnectionKeys, keypairId: string): boolean {
  return keys.kind === 'changing' && keys.nextKeypairId === keypairId;
}

function settled(keypairId: string): ConnectionKeys {
  return { kind: 'settled', keypairId };
}
