/*
 * Which sockets of this machine are at the other end of a connection, as /proc/net/tcp and tcp6 list them.
 *
 * A connection that was accepted has a socket of its own there. One that still waits has none yet; who may accept it are those who
 * have a socket that listens at its address.
 */
import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { hasErrno } from '@clawdfather/kit';

/* As a `Socket` of Node names its ends. */
export interface Ends {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localAddress: string;
  readonly localPort: number;
}

export interface ListedSocket {
  /* By which /proc names it among the open files of a process. */
  readonly inode: string;
  /* Of the user who made it. */
  readonly uid: number;
}

interface Row extends ListedSocket {
  readonly local: string;
  readonly remote: string;
  readonly isListening: boolean;
}

const listeningState = '0A';
const unspecified = new Set(['0.0.0.0', '[::]']);

export function socketsAtOtherEnd(ends: Ends, read: () => string = readTables): ListedSocket[] {
  const rows = parseRows(read());
  const there = formatEnd(ends.remoteAddress, ends.remotePort);
  const here = formatEnd(ends.localAddress, ends.localPort);
  const accepted = rows.filter(({ local, remote }) => local === there && remote === here);
  if (accepted.length > 0) return accepted;
  const anywhere = [...unspecified].map((address) => `${address} ${ends.remotePort}`);
  return rows.filter(
    ({ local, isListening }) => isListening && [there, ...anywhere].includes(local),
  );
}

function readTables(): string {
  return ['tcp', 'tcp6'].map((name) => readIfThere(`/proc/net/${name}`)).join('');
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    // A kernel without IPv6 has one of them only.
    if (hasErrno(error, 'ENOENT')) return '';
    throw error;
  }
}

function parseRows(text: string): Row[] {
  return text.split('\n').flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    const [, local, remote, state] = fields;
    const [uid, inode] = [fields[7], fields[9]];
    if (local === undefined || remote === undefined || !local.includes(':')) return [];
    // 0: no process has it, because it waits to be accepted or was closed.
    if (uid === undefined || inode === undefined || inode === '0') return [];
    const isListening = state === listeningState;
    return [
      { local: parseEnd(local), remote: parseEnd(remote), isListening, uid: Number(uid), inode },
    ];
  });
}

function parseEnd(text: string): string {
  const [address = '', port = ''] = text.split(':');
  const words = address.match(/.{8}/g) ?? [];
  const bytes = Buffer.concat(words.map(bytesOfWord));
  const isMapped = bytes.length === 16 && bytes.toString('hex', 0, 12) === mappedPrefix;
  const own = isMapped ? bytes.subarray(12) : bytes;
  return formatEnd(own.length === 4 ? own.join('.') : longForm(own), Number.parseInt(port, 16));
}

/* Of an IPv4 address that is written as one of IPv6. */
const mappedPrefix = '00000000000000000000ffff';

/* The kernel prints words as numbers of its own order. */
function bytesOfWord(word: string): Buffer {
  const bytes = Buffer.from(word, 'hex');
  return endianness() === 'LE' ? bytes.reverse() : bytes;
}

function longForm(bytes: Buffer): string {
  return (bytes.toString('hex').match(/.{4}/g) ?? []).join(':');
}

/* One way to write an address of IPv6: that of URLs. */
function formatEnd(address: string, port: number): string {
  const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address.replace(/%.*$/, '');
  const host = plain.includes(':') ? new URL(`http://[${plain}]`).hostname : plain;
  return `${host} ${port}`;
}
