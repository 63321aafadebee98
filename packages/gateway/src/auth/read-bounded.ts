/*
 * Reads the body of another server's answer, up to a limit.
 */

/* `undefined` for one that is longer; the rest is not read. */
export async function readBounded(
  { body }: Response,
  bytesMax: number,
): Promise<string | undefined> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop early cancels the rest.
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
