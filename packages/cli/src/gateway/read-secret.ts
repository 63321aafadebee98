/*
 * A secret, or a private key, from the file that a setting names. Others must not be able to read it: if they can, they have.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { geteuid } from 'node:process';
import { findUnsafe, shellWord } from '@clawdfather/kit/files';
import { CliError } from '../errors.ts';

/* A chain of certificates is some kilobytes. */
const bytesMax = 1_048_576;

export interface SecretFile {
  readonly path: string;
  /* The setting, for the message. */
  readonly setting: string;
  /* A certificate is public; who may change it matters all the same. */
  readonly isPublic?: boolean;
}

export function readSecretFile(file: SecretFile): string {
  const { path, setting } = file;
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw unreadable(file, error);
  }
  try {
    const { uid, mode, size } = fstatSync(descriptor);
    const problem = whyUnsafe({ uid, mode }, file.isPublic === true);
    if (problem !== undefined) {
      throw new CliError('secret-file-unsafe', `${setting}: ${path} ${problem}`, {
        hint: `It has to be yours alone: chmod ${file.isPublic === true ? 'go-w' : '600'} ${shellWord(path)}`,
        detail: { path, setting },
      });
    }
    const unsafe = findUnsafe(path);
    if (unsafe !== undefined) {
      const message = `${setting}: ${path} could be exchanged: ${unsafe.path}: ${unsafe.why}`;
      throw new CliError('secret-file-unsafe', message, {
        hint: `Mend it: ${unsafe.cure}`,
        detail: { path, setting },
      });
    }
    if (size > bytesMax) throw unreadable(file, new Error('it is larger than a megabyte'));
    return readFileSync(descriptor, 'utf8').trim();
  } finally {
    closeSync(descriptor);
  }
}

/* Undefined when all is well. Root's file may be readable by our group: that is how service managers hand secrets over. */
export function whyUnsafe(
  { uid, mode }: { readonly uid: number; readonly mode: number },
  isPublic: boolean,
): string | undefined {
  if (uid !== (geteuid?.() ?? uid) && uid !== 0) return `belongs to user ${uid}`;
  if ((mode & 0o022) !== 0) return 'can be changed by others';
  const forbidden = uid === 0 ? 0o004 : 0o044;
  return !isPublic && (mode & forbidden) !== 0 ? 'can be read by others' : undefined;
}

function unreadable({ path, setting }: SecretFile, cause: unknown): CliError {
  return new CliError('secret-file-unreadable', `${setting}: ${path} cannot be read`, {
    cause,
    detail: { path, setting },
  });
}
