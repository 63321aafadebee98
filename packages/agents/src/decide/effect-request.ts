/*
 * Requests of an agent for files and terminals on its host: which there are, and which of them can be served at all. What cannot is answered
 * at once and leaves no row.
 */
import { isObject, type JsonObject } from '../wire/json-rpc.ts';

const methods: Readonly<Record<string, { readonly changes: boolean }>> = {
  'fs/read_text_file': { changes: false },
  'fs/write_text_file': { changes: true },
  'terminal/create': { changes: true },
  'terminal/output': { changes: false },
  'terminal/wait_for_exit': { changes: false },
  'terminal/kill': { changes: false },
  'terminal/release': { changes: false },
};

export function isEffect(method: string): boolean {
  return Object.hasOwn(methods, method);
}

/* It changes something on the host, so the policy of the host decides about it. Ending one's own terminal is always allowed. */
export function isChange(method: string): boolean {
  return methods[method]?.changes === true;
}

/* A file that is read or written whole, over a connection that may be slow. Source files are far smaller. */
export const fileBytesMax = 10 * 1024 * 1024;
/* As the kernel has it. */
const pathBytesMax = 4096;
/* What is sent to a host in one command (docs/ssh.md) is less. */
const commandBytesMax = 128 * 1024;

/* Undefined: it can be served. Else a sentence for the agent. */
export function refusalOfEffect(method: string, params: JsonObject): string | undefined {
  switch (method) {
    case 'fs/read_text_file':
      return pathRefusal('path', params['path']) ?? rangeRefusal(params);
    case 'fs/write_text_file':
      return pathRefusal('path', params['path']) ?? contentRefusal(params['content']);
    case 'terminal/create':
      return terminalRefusal(params);
    default:
      return typeof params['terminalId'] === 'string' ? undefined : 'terminalId has to be a text';
  }
}

function pathRefusal(name: string, path: unknown): string | undefined {
  if (typeof path !== 'string' || !path.startsWith('/')) return `${name} has to be absolute`;
  if (path.includes('\0')) return `${name} has a NUL character in it`;
  return Buffer.byteLength(path) > pathBytesMax ? `${name} is too long` : undefined;
}

function rangeRefusal({ line, limit }: JsonObject): string | undefined {
  const isCount = (value: unknown): boolean =>
    value === undefined || value === null || (Number.isSafeInteger(value) && Number(value) >= 0);
  return isCount(line) && isCount(limit) ? undefined : 'line and limit have to be counts';
}

function contentRefusal(content: unknown): string | undefined {
  if (typeof content !== 'string') return 'content has to be a text';
  return Buffer.byteLength(content) > fileBytesMax
    ? `a file may have ${fileBytesMax} bytes at most`
    : undefined;
}

function terminalRefusal({ command, args, env, cwd }: JsonObject): string | undefined {
  if (typeof command !== 'string' || command === '') return 'command has to name a program';
  const words = args ?? [];
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) {
    return 'args have to be texts';
  }
  const variables = env ?? [];
  if (!Array.isArray(variables) || !variables.every(isVariable)) {
    return 'env has to be a list of names and values';
  }
  const all: string[] = [command, ...words];
  if (all.some((word) => word.includes('\0'))) return 'a word has a NUL character in it';
  if (Buffer.byteLength(all.join(' ')) > commandBytesMax) return 'the command is too long';
  return cwd === undefined || cwd === null ? undefined : pathRefusal('cwd', cwd);
}

function isVariable(value: unknown): boolean {
  if (!isObject(value as JsonObject)) return false;
  const { name, value: text } = value as JsonObject;
  return typeof name === 'string' && /^[A-Za-z_]\w*$/.test(name) && typeof text === 'string';
}
