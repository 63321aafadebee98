/*
 * What a person has opened, pasted or typed to get in. Pure.
 */
export type Given =
  /* Printed by the gateway's machine: it signs in by itself. */
  | { readonly kind: 'link'; readonly secret: string }
  /* Shown by another device, which has to confirm. */
  | { readonly kind: 'claim'; readonly secret: string }
  | { readonly kind: 'code'; readonly code: string }
  /* What GitHub's way back says. */
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'cut-off' }
  | { readonly kind: 'unknown' };

const wholePattern = /#clf-(link|claim)=([A-Za-z0-9_-]{43})(?![A-Za-z0-9_-])/;
const codePattern = /^(?:[0-9A-Za-z][\s-]*){8}$/;

export function parseGiven(text: string): Given {
  const given = text.trim();
  const [, kind, secret] = wholePattern.exec(given) ?? [];
  if (secret !== undefined) return { kind: kind === 'claim' ? 'claim' : 'link', secret };
  const [, refused] = /#clf-error=([a-z_]{1,40})$/.exec(given) ?? [];
  if (refused !== undefined) return { kind: 'refused', code: refused };
  if (/^[A-Za-z0-9_-]{43}$/.test(given)) return { kind: 'link', secret: given };
  if (codePattern.test(given)) return { kind: 'code', code: given };
  // A part was lost on the way: an address without its end, or a secret without its beginning.
  if (/clf-(?:link|claim)|^https?:/.test(given) || /^[A-Za-z0-9_-]{20,}$/.test(given)) {
    return { kind: 'cut-off' };
  }
  return { kind: 'unknown' };
}

/* A secret is for the gateway whose address stands before it; a bare code is for the one that it is typed at. */
export function isOfHere(text: string, origin: string): boolean {
  const address = /^https?:\/\/[^/#]+/i.exec(text.trim())?.[0];
  return address === undefined
    ? parseGiven(text).kind !== 'unknown'
    : address.toLowerCase() === origin.toLowerCase();
}
