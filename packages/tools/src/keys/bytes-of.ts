/*
 * Input as its bytes: text as it is, or bytes in base64.
 */

/* Undefined if it is not base64. Node's decoder takes anything; a caller that mixes up text and base64 gets an error. */
export function bytesOf(
  data: string,
  encoding: 'text' | 'base64' | undefined,
): Uint8Array | undefined {
  if (encoding !== 'base64') return Buffer.from(data);
  const bytes = Buffer.from(data, 'base64');
  return withoutPadding(bytes.toString('base64')) === withoutPadding(data) ? bytes : undefined;
}

function withoutPadding(text: string): string {
  return text.replace(/=+$/, '');
}
