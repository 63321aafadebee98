/*
 * Which names this gateway goes by, and which pages may talk to it.
 *
 * Host: a page whose name was rebound to our address still sends its own name, so only listed names are accepted. An address in
 * digits cannot be rebound, so it is always accepted. Origin: exactly the listed ones. A sandboxed frame sends `null`, which is
 * refused.
 */
import { isIP } from 'node:net';

export interface AllowedNames {
  isHost(header: string | undefined): boolean;
  isOrigin(header: string): boolean;
}

export interface NameSettings {
  /* Such as `https://clawd.example.org`. */
  readonly publicUrl: string | undefined;
  /* What is listened on; known only after listening. */
  readonly port: () => number;
  readonly isTls: boolean;
}

export function createAllowedNames({ publicUrl, port, isTls }: NameSettings): AllowedNames {
  const publicName = publicUrl === undefined ? undefined : new URL(publicUrl);
  const scheme = isTls ? 'https' : 'http';
  /* Nearly every request is sent to the same name as the one before. */
  let lastGood: string | undefined;
  return {
    isHost: (header) => {
      if (header === undefined) return false;
      if (header === lastGood) return true;
      const name = hostNameOf(header);
      if (name === undefined) return false;
      const isOurs = isAddress(name) || name === 'localhost' || name === publicName?.hostname;
      if (isOurs) lastGood = header;
      return isOurs;
    },
    isOrigin: (header) =>
      header === publicName?.origin ||
      header === `${scheme}://localhost:${port()}` ||
      header === `${scheme}://127.0.0.1:${port()}` ||
      header === `${scheme}://[::1]:${port()}`,
  };
}

/* `undefined` if it is not a host name or an address. */
function hostNameOf(header: string): string | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i.exec(header);
  return match?.[1]?.toLowerCase();
}

function isAddress(name: string): boolean {
  return isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}
