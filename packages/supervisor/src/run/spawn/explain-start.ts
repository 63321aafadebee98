/*
 * Why a command could not be started, in a sentence about what was asked for: at which step, with which errno, and what is to be seen of
 * the file. It is said when it happens, since the file may be another one later.
 */
import { closeSync, constants as files, openSync, readSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import type { StartFailure } from '../../run-end.ts';

export interface AskedProgram {
  readonly program: string;
  readonly cwd: string;
  /* Of the command's environment; undefined: it has none, and the shim searches the usual places. */
  readonly path: string | undefined;
}

const { ENOENT, ENOTDIR, EACCES, ENOEXEC } = constants.errno;

/* Undefined: the shim's own words say all there is. */
export function explainStart(
  { stage, errno }: StartFailure,
  asked: AskedProgram,
): string | undefined {
  const { program, cwd } = asked;
  if (stage === 'cwd') return `cannot work in "${cwd}": ${whyNoDirectory(errno)}`;
  if (stage !== 'exec') return undefined;
  const file = fileOf(asked);
  if (errno === ENOENT || errno === ENOTDIR) return whyMissing(program, file);
  if (errno === EACCES) {
    return isDirectory(file) ? `${program}: is a directory` : `${program}: not executable`;
  }
  return errno === ENOEXEC ? `${program}: not a program` : undefined;
}

function whyNoDirectory(errno: number): string {
  if (errno === ENOENT) return 'it does not exist';
  return errno === ENOTDIR ? 'it is not a directory' : 'no access';
}

/* The kernel says of a script without its interpreter, too, that there is no such file. */
function whyMissing(program: string, file: string | undefined): string {
  if (file === undefined) {
    return program.includes('/') ? `${program}: no such file` : `${program}: command not found`;
  }
  const interpreter = interpreterOf(file);
  return interpreter === undefined
    ? `${program}: the loader that it was built for is not there`
    : `${program}: its interpreter ${interpreter} (its first line) is not there`;
}

/* The file that was meant, if it is there. */
function fileOf({ program, cwd, path = '' }: AskedProgram): string | undefined {
  const places = program.includes('/') ? [''] : path.split(':');
  return places
    .map((place) => resolve(cwd, place, program))
    .find((file) => statOf(file) !== undefined);
}

function isDirectory(file: string | undefined): boolean {
  return file !== undefined && statOf(file)?.isDirectory() === true;
}

function statOf(file: string) {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    /* It cannot be looked at: then nothing is said about it. */
    return undefined;
  }
}

/* As long as the kernel reads it. */
const firstLineBytes = 256;

function interpreterOf(file: string): string | undefined {
  try {
    const descriptor = openSync(file, files.O_RDONLY | files.O_NONBLOCK);
    try {
      const bytes = Buffer.alloc(firstLineBytes);
      const count = readSync(descriptor, bytes, 0, firstLineBytes, 0);
      return /^#![ \t]*([^ \t\r\n]+)/.exec(bytes.toString('utf8', 0, count))?.[1];
    } finally {
      closeSync(descriptor);
    }
  } catch {
    /* It may be executed and not read. */
    return undefined;
  }
}
