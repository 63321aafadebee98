/*
 * `user@host[:port]`, as people write it for ssh. The gateway has the last word about names; this only takes the text apart.
 */
import type { TextKind } from '../args/kinds.ts';
import { usageError } from '../errors.ts';

export interface HostTarget {
  readonly username: string;
  readonly host: string;
  readonly port: number;
}

const usualPort = 22;
const portMax = 65_535;
/* An address of IPv6 needs brackets only where a port follows. */
const pattern = /^([^@\s]+)@(?:\[([0-9a-fA-F:.]+)\]|([^@\s:[\]]+)|([0-9a-fA-F]*:[0-9a-fA-F:.]+))$/;

export const hostTarget: TextKind<HostTarget> = {
  placeholder: 'USER@HOST[:PORT]',
  completes: [],
  fromText: (label, text) => {
    const { rest, port } = splitPort(label, text.replace(/^ssh:\/\//, ''));
    const [, username, bracketed, name, address] = pattern.exec(rest) ?? [];
    const host = bracketed ?? name ?? address;
    if (username !== undefined && host !== undefined) return { username, host, port };
    if (!text.includes('@')) {
      throw usageError(`${label} has no user: "${text}"`, `Name the user on the host: you@${text}`);
    }
    throw usageError(`${label} is not USER@HOST[:PORT]: "${text}"`);
  },
};

function splitPort(label: string, text: string): { readonly rest: string; readonly port: number } {
  const [, rest, digits] = /^([^@]*@(?:\[[^\]]*\]|[^:]*)):([^:]*)$/.exec(text) ?? [];
  if (rest === undefined || digits === undefined) return { rest: text, port: usualPort };
  const port = /^[0-9]{1,5}$/.test(digits) ? Number(digits) : 0;
  if (port >= 1 && port <= portMax) return { rest, port };
  throw usageError(`${label} has no port from 1 to ${portMax}: "${text}"`);
}

/* What ssh would be given. */
export function formatTarget({ username, host, port }: HostTarget): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `${username}@${name}${port === usualPort ? '' : `:${port}`}`;
}
