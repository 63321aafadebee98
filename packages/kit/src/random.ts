/*
 * Chance, as something that is handed in.
 *
 * Ids are 16 characters of base32 in lower case, 80 random bits. The alphabet
 * leaves out i, l, o and u: an id is read aloud, typed by hand and matched by
 * prefix, and must never spell a word or be read two ways.
 */

export interface Random {
  bytes(count: number): Uint8Array<ArrayBuffer>;
  /* A fresh id, see `isId`. */
  id(): string;
}

const idAlphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const idBytes = 10;
const idPattern = /^[0-9a-hjkmnp-tv-z]{16}$/;

/* The web's source of randomness gives at most this much in one call. */
const bytesPerCallMax = 65_536;

/* A call costs the same for 16 bytes as for a page, so short requests are served from a page. */
const poolBytes = 4_096;

export function createSystemRandom(): Random {
  const pool = new Uint8Array(poolBytes);
  let used = poolBytes;

  return createRandom((target) => {
    if (target.length > poolBytes / 8) return fillFromSystem(target);
    if (used + target.length > poolBytes) {
      fillFromSystem(pool);
      used = 0;
    }
    const taken = pool.subarray(used, used + target.length);
    target.set(taken);
    /* Bytes are handed out once and erased, so a cookie's secret does not stay in this page. */
    taken.fill(0);
    used += target.length;
  });
}

function fillFromSystem(target: Uint8Array<ArrayBuffer>): void {
  for (let start = 0; start < target.length; start += bytesPerCallMax) {
    crypto.getRandomValues(target.subarray(start, start + bytesPerCallMax));
  }
}

/* Builds the whole port from the one thing that differs: how bytes are filled. */
export function createRandom(fill: (target: Uint8Array<ArrayBuffer>) => void): Random {
  const bytes = (count: number): Uint8Array<ArrayBuffer> => {
    const target = new Uint8Array(count);
    fill(target);
    return target;
  };
  return { bytes, id: () => formatId(bytes(idBytes)) };
}

export function isId(text: string): boolean {
  return idPattern.test(text);
}

function formatId(bytes: Uint8Array): string {
  let text = '';
  let pending = 0;
  let pendingBits = 0;
  for (const byte of bytes) {
    pending = (pending << 8) | byte;
    pendingBits += 8;
    while (pendingBits >= 5) {
      pendingBits -= 5;
      text += idAlphabet.charAt((pending >> pendingBits) & 31);
    }
    pending &= (1 << pendingBits) - 1;
  }
  return text;
}
