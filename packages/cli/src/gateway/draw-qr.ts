/*
 * A link as a QR code for a terminal. The one place that knows uqr.
 *
 * Two rows in one character, dark modules on light ground whatever the terminal's colours: scanners want dark on light, and
 * most terminals are the other way round. So the colours are set, not assumed.
 */
import { encode } from 'uqr';

const blackOnWhite = '\u001b[30;47m';
const reset = '\u001b[0m';
/* The standard asks for four modules of quiet around it; cameras do with two, and it stays small enough for a terminal. */
const border = 2;

/* Undefined where it would not fit: a torn one is worse than none. */
export function drawQr(text: string, columnsMax: number): string | undefined {
  const { data, size } = encode(text, { ecc: 'L', border });
  if (size > columnsMax) return undefined;
  const lines: string[] = [];
  for (let row = 0; row < size; row += 2) {
    let line = '';
    for (let column = 0; column < size; column += 1) {
      const upper = data[row]?.[column] === true;
      const lower = data[row + 1]?.[column] === true;
      line += upper ? (lower ? '█' : '▀') : lower ? '▄' : ' ';
    }
    lines.push(`${blackOnWhite}${line}${reset}`);
  }
  return lines.join('\n');
}

/* Whether a phone could open an address: not one that means the machine it is typed on. */
export function isForPhones(url: string | undefined): boolean {
  const host = URL.parse(url ?? '')?.hostname ?? 'localhost';
  return !/^(?:localhost|.+\.localhost|127\..+|\[::1\]|0\.0\.0\.0|\[::\])$/.test(host);
}
