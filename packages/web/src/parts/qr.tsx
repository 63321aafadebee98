/*
 * A text as a QR code, drawn as one path. Always dark on light: cameras read nothing else reliably.
 */
import { encode } from 'uqr';

/* Cells of light around it, as the standard asks. */
const border = 2;

export function Qr({ text, name }: { readonly text: string; readonly name: string }) {
  const { data, size } = encode(text, { border });
  const cells = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={name}>
      <path d={cells.join('')} />
    </svg>
  );
}
