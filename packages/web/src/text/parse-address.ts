/*
 * An address as its parts. `URL.canParse` is too new for some browsers that the app works in.
 */
export function parseAddress(address: string, base?: string): URL | undefined {
  try {
    return new URL(address, base);
  } catch {
    // It is none.
    return undefined;
  }
}
