/*
 * The picture that OpenSSH draws of a fingerprint (`ssh-keygen -lv`): a walk over a field, two bits a step, and how often each place was
 * come to. Two pictures are told apart at a glance, where two fingerprints are not. Pure.
 */
const columns = 17;
const rows = 9;
/* By how often; the last two are the beginning and the end. */
const marks = ' .o+=*BOX@%&#/^SE';
const start = marks.length - 2;
const end = marks.length - 1;

/* Undefined: it is no SHA-256 in base64. */
export function drawFingerprint(fingerprint: string): string | undefined {
  const [, base64] = /^SHA256:([A-Za-z0-9+/]{43})=?$/.exec(fingerprint) ?? [];
  if (base64 === undefined) return undefined;
  const bytes = Array.from(atob(base64), (character) => character.charCodeAt(0));
  const field = walk(bytes);
  const lines = Array.from({ length: rows }, (_, y) => {
    const line = field.slice(y * columns, (y + 1) * columns);
    return `|${line.map((count) => marks[count]).join('')}|`;
  });
  return [`+${'-'.repeat(columns)}+`, ...lines, '+----[SHA256]-----+'].join('\n');
}

function walk(bytes: readonly number[]): readonly number[] {
  const field = Array.from({ length: columns * rows }, () => 0);
  let x = Math.floor(columns / 2);
  let y = Math.floor(rows / 2);
  for (const byte of bytes) {
    for (const shift of [0, 2, 4, 6]) {
      const step = byte >> shift;
      x = between(x + ((step & 1) === 0 ? -1 : 1), columns);
      y = between(y + ((step & 2) === 0 ? -1 : 1), rows);
      const at = y * columns + x;
      field[at] = Math.min((field[at] ?? 0) + 1, start - 1);
    }
  }
  field[Math.floor(rows / 2) * columns + Math.floor(columns / 2)] = start;
  field[y * columns + x] = end;
  return field;
}

function between(at: number, size: number): number {
  return Math.max(0, Math.min(size - 1, at));
}
