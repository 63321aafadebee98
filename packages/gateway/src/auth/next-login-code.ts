/*
 * What may happen to a login code, and what does not count.
 *
 *   open ──claimed──► claimed ──confirmed──► confirmed ──collected──► used ──collected──► used
 *     └──────────────────┴──────────refused─────┴──► refused
 *
 * LC1 A code is claimed once. The same claimant may ask again until the end, as a page does that is loaded anew; another one finds nothing.
 * LC2 Nothing happens after its end. Each step sets the next one: two minutes to type the code, two to look and confirm, one to collect.
 * LC3 Only the claimant collects, with its secret, and only what was confirmed. An answer may be lost on the way, so it may do so again
 *     until the end; the device that was made before it ends then.
 */
export interface Claimant {
  /* SHA-256 of its secret. */
  readonly hash: string;
  readonly device: string;
  readonly ip: string;
}

export type LoginCode = { readonly expiresAtMs: number } & (
  | { readonly state: 'open' }
  | { readonly state: 'claimed' | 'confirmed'; readonly claimant: Claimant }
  | { readonly state: 'used'; readonly claimant: Claimant; readonly deviceId: string }
  | { readonly state: 'refused'; readonly claimant: Claimant | undefined }
);

export type LoginCodeEvent = { readonly atMs: number } & (
  | { readonly kind: 'claimed'; readonly claimant: Claimant }
  | { readonly kind: 'confirmed' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'collected'; readonly claimHash: string; readonly deviceId: string }
);

/* To type eight characters, or to scan a picture. */
export const claimMs = 2 * 60_000;
/* To look up from one device to the other. */
export const confirmMs = 2 * 60_000;
/* The claimant asks all the time; it may be on a bad network. */
export const collectMs = 60_000;

/* Undefined: it does not count. The same value: it was so already. */
export function nextLoginCode(code: LoginCode, event: LoginCodeEvent): LoginCode | undefined {
  if (event.atMs >= code.expiresAtMs) return undefined;
  switch (event.kind) {
    case 'claimed':
      return nextClaimed(code, event);
    case 'confirmed': {
      if (code.state === 'confirmed') return code;
      if (code.state !== 'claimed') return undefined;
      return { ...code, state: 'confirmed', expiresAtMs: event.atMs + collectMs };
    }
    case 'refused': {
      if (code.state === 'refused') return code;
      if (code.state === 'used') return undefined;
      const claimant = code.state === 'open' ? undefined : code.claimant;
      return { state: 'refused', claimant, expiresAtMs: code.expiresAtMs };
    }
    case 'collected': {
      if (code.state !== 'confirmed' && code.state !== 'used') return undefined;
      if (code.claimant.hash !== event.claimHash) return undefined;
      const { claimant, expiresAtMs } = code;
      return { state: 'used', claimant, expiresAtMs, deviceId: event.deviceId };
    }
  }
}

function nextClaimed(
  code: LoginCode,
  { atMs, claimant }: Extract<LoginCodeEvent, { kind: 'claimed' }>,
): LoginCode | undefined {
  if (code.state === 'open') return { state: 'claimed', claimant, expiresAtMs: atMs + confirmMs };
  const isSame = code.state !== 'refused' && code.claimant.hash === claimant.hash;
  return isSame ? code : undefined;
}
