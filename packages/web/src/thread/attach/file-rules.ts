/*
 * Which files a message takes, and what of them is kept on the device. Pure.
 */
import type { Attachment } from './attachments.ts';

/* As the gateway takes them. */
const bytesMax = 64 * 1024 * 1024;
export const filesMax = 10;
const nameMax = 200;

/* Why it is not taken, in words. */
export function fileProblem(
  { name, size }: Pick<File, 'name' | 'size'>,
  before: number,
): string | undefined {
  if (before >= filesMax) return `A message takes at most ${filesMax} files.`;
  if (size === 0) return `${nameOf(name)} is empty.`;
  if (size > bytesMax) return `${nameOf(name)} is larger than 64 MiB.`;
  return undefined;
}

/* As the gateway takes names; the end says of which kind it is. */
export function nameOf(name: string): string {
  const plain = name.replaceAll(/\p{Cc}/gu, '').slice(-nameMax);
  return plain.trim() === '' ? 'file' : plain;
}

/* Browsers may say more of it, or nothing. */
export function contentTypeOf(type: string): string | undefined {
  const plain = type.split(';', 1)[0]?.trim() ?? '';
  return /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/.test(plain) ? plain : undefined;
}

/* As a draft; nothing is an empty one. */
export function keptFiles(list: readonly Attachment[]): string {
  if (list.length === 0) return '';
  return JSON.stringify(
    list.map(({ name, size, type, state }) => ({
      name,
      size,
      type,
      ...('id' in state && state.id !== undefined ? { id: state.id } : {}),
    })),
  );
}

/* Why a message cannot be sent yet. */
export function whyNotYet(list: readonly Attachment[]): string | undefined {
  if (list.some(({ state }) => state.kind === 'failed')) {
    return 'A file is not there. Try it again, or remove it.';
  }
  const open = list.filter(({ state }) => state.kind !== 'whole');
  if (open.length === 0) return undefined;
  if (open.some(({ isHeldUp }) => isHeldUp)) {
    return 'The gateway does not answer. The files go on by themselves.';
  }
  return open.length === 1
    ? 'You can send when the file is there.'
    : `You can send when ${open.length} more files are there.`;
}
