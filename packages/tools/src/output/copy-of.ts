/*
 * A string of its own. The engine makes `slice` a view that keeps the whole text it was cut from in memory, so what is
 * kept for long of something large must be copied.
 */
export function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
