/*
 * The whole output as a file on this device, read page by page. A phone holds it in memory meanwhile, so there is a bound.
 */
import type { Client } from '@clawdfather/sdk';

const pageBytes = 1_048_576;
const bytesMax = 64 * pageBytes;

/* False: it is longer than a browser should hold; the beginning was saved. */
export async function downloadOutput(client: Client, id: string): Promise<boolean> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let cursor: string | undefined;
  let bytes = 0;
  let isWhole = false;
  while (bytes < bytesMax && !isWhole) {
    const query = {
      encoding: 'base64',
      limit: pageBytes,
      ...(cursor === undefined ? {} : { cursor }),
    } as const;
    const page = await client.runs.output({ params: { id }, query });
    const piece = Uint8Array.from(atob(page.text), (character) => character.charCodeAt(0));
    pieces.push(piece);
    bytes += piece.length;
    isWhole = page.isEnd || page.cursor === cursor;
    cursor = page.cursor;
  }
  save(new Blob(pieces, { type: 'application/octet-stream' }), `${id}.log`);
  return isWhole;
}

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
