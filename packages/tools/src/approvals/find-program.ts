/*
 * Which file a program word means: the lookup of execvp and of the shells, done by us beforehand.
 *
 * A word with a slash is a path, read as the kernel reads it (`link/../x` is beside the link's target); any other is looked for in the directories of PATH, in order. What could be answered in
 * more than one way is unknown: something in the way that is no program (dash and bash pass over different things), a
 * directory that cannot be looked into, a relative place once the line has changed directory. So is what lies in a private
 * directory of shielded commands: a rule is about a file of the machine, and all of them can write there.
 */
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { joinAsWritten } from './real-paths.ts';
import { isPrivate, type SeenFiles } from './seen-files.ts';

export interface FoundProgram {
  /* The name with its directory's links followed: what it was called by. */
  readonly namedPath: string;
  /* The file in the end. */
  readonly realPath: string;
}

export type ProgramLookup =
  | { readonly kind: 'found'; readonly program: FoundProgram }
  | {
      readonly kind: 'unknown';
      readonly why: string;
      /* True: there is nothing of that name, so nothing could run. Absent: there may be. */
      readonly isAbsent?: true;
    };

export interface LookupPlace {
  /* PATH. */
  readonly searchPath: string;
  /* Undefined where it cannot be known. */
  readonly cwd: string | undefined;
  /* Where the command finds what it names; undefined: where we do. */
  readonly seen?: SeenFiles | undefined;
}

export function findProgram(word: string, { searchPath, cwd, seen }: LookupPlace): ProgramLookup {
  if (word === '') return unknown('an empty program name');
  if (word.includes('\0')) return unknown('a program name with a NUL');
  if (word.includes('/')) {
    if (isAbsolute(word)) return foundAt(word, word, seen);
    if (cwd === undefined) return unknown(`${word} after a change of directory`);
    return foundAt(word, joinAsWritten(cwd, word), seen);
  }
  for (const directory of searchPath.split(':')) {
    // An empty entry is the current directory, as in every shell.
    if (!isAbsolute(directory) && cwd === undefined) {
      return unknown(`${word}: PATH is relative, and the line changes directory`);
    }
    const path = joinAsWritten(joinAsWritten(cwd ?? '/', directory), word);
    const kind = kindSeen(path, seen);
    if (kind === 'program') return foundAt(word, path, seen);
    if (kind === 'in-the-way') return unknown(`${word}: ${path} is in the way and is no program`);
  }
  return absent(`${word} was not found`);
}

function foundAt(word: string, path: string, seen: SeenFiles | undefined): ProgramLookup {
  const kind = kindSeen(path, seen);
  if (kind === 'nothing') return absent(`${word} does not exist`);
  if (kind === 'in-the-way') return unknown(`${word} is no program`);
  if (seen !== undefined) return foundInside(word, path, seen);
  try {
    const namedPath = join(realpathSync.native(dirname(path)), basename(path));
    return { kind: 'found', program: { namedPath, realPath: realpathSync.native(path) } };
  } catch {
    // It was there a moment ago; a file that appears there now is another one.
    return unknown(`${word} is no program`);
  }
}

function foundInside(word: string, path: string, seen: SeenFiles): ProgramLookup {
  const [directory, file] = [seen.findNow(dirname(path)), seen.findNow(path)];
  if (directory.kind !== 'at' || file.kind !== 'at') return unknown(`${word} is no program`);
  if (isPrivate(directory) || isPrivate(file)) {
    return unknown(`${word} is in a private directory of shielded commands`);
  }
  const namedPath = join(directory.inside, basename(path));
  return { kind: 'found', program: { namedPath, realPath: file.inside } };
}

function kindSeen(path: string, seen: SeenFiles | undefined): ReturnType<typeof kindOf> {
  if (seen === undefined) return kindOf(path);
  const found = seen.findNow(path);
  if (found.kind === 'at') return kindOf(found.outside);
  return found.kind === 'none' ? 'nothing' : 'in-the-way';
}

function kindOf(path: string): 'program' | 'in-the-way' | 'nothing' {
  try {
    // Without exceptions: one for each directory of PATH without the program would cost more than all the rest.
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return 'nothing';
    if (!stat.isFile()) return 'in-the-way';
    accessSync(path, constants.X_OK);
    return 'program';
  } catch {
    // It cannot be looked at, or not be run: shells differ on what comes next.
    return 'in-the-way';
  }
}

function absent(why: string): ProgramLookup {
  return { kind: 'unknown', why, isAbsent: true };
}

function unknown(why: string): ProgramLookup {
  return { kind: 'unknown', why };
}
