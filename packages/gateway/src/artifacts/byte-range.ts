/*
 * `Range` of RFC 9110, section 14, for one range of bytes. What is not that is left alone, as the standard wants it: the whole file is sent.
 */
export type ByteRange =
  | { readonly kind: 'whole' }
  /* Both are part of it. */
  | { readonly kind: 'part'; readonly first: number; readonly last: number }
  | { readonly kind: 'unsatisfiable' };

const whole: ByteRange = { kind: 'whole' };
const unsatisfiable: ByteRange = { kind: 'unsatisfiable' };

/* Longer than any number of bytes; more digits would lose some. */
const pattern = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i;

export function parseRange(header: string | undefined, sizeBytes: number): ByteRange {
  const [, from = '', to = ''] = pattern.exec(header ?? '') ?? [];
  if (from === '' && to === '') return whole;
  if (from === '') {
    const length = Math.min(Number(to), sizeBytes);
    return length === 0
      ? unsatisfiable
      : { kind: 'part', first: sizeBytes - length, last: sizeBytes - 1 };
  }
  const first = Number(from);
  if (to !== '' && Number(to) < first) return whole;
  if (first >= sizeBytes) return unsatisfiable;
  const last = to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1);
  return { kind: 'part', first, last };
}
