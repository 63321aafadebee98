/*
 * Which paths a command names: where its words could lead, as far as it can be told without running it. A path too many costs a look
 * and does no harm. docs/approvals.md says what is covered.
 *
 * - A relative word is looked for in the working directory, and in the directories that the line changes to by name.
 * - `link/../x` is beside the link's target for the kernel, and beside the link for programs that fold paths by their text, as Node and
 *   `cd` do. Both count.
 * - Of `name=value` and `--option=value` the value counts as well.
 * - A word with blanks may be a line for a shell (`bash -c '…'`), so its own words count too.
 */
import { resolve } from 'node:path';
import { type LineWords, wordsOfLine } from '../shell/line-words.ts';
import { directoryCharactersMax, lookedAtMax } from './approval-limits.ts';
import type { ProposedAction } from './gatekeeper.ts';
import { joinAsWritten } from './real-paths.ts';

/* Of `cd` in a line; each makes every relative word mean one more path. */
const directoriesMax = 8;
/* Each is looked for in every directory of PATH. */
const programsMax = 256;

export interface NamedPaths {
  /* Each may be the program: the first one that can be executed is. */
  readonly programs: readonly (readonly string[])[];
  readonly files: readonly string[];
  /* Paths that were not taken in because there are too many. */
  readonly more: number;
}

export function namedPaths(
  { command, cwd }: Pick<ProposedAction, 'command' | 'cwd'>,
  searchPath: string,
): NamedPaths {
  const { programs, words, directories } =
    command.kind === 'line' ? wordsOfShell(command.shell, command.line) : wordsOfArgv(command.argv);
  const places = placesOf(cwd, directories);
  const inPlaces = (word: string): readonly string[] =>
    places.flatMap((place) => readingsOf(joinAsWritten(place, word)));
  const isName = (word: string): boolean =>
    word !== '' && word.length <= directoryCharactersMax && !word.includes('\0');
  const bare = programs.filter((word) => isName(word) && !word.includes('/'));
  const named = [...programs.filter((word) => word.includes('/')), ...words].flatMap(withValue);
  const paths = [...new Set(named.filter(isName).flatMap(inPlaces))];
  const searched = [...new Set(bare)].map((word) =>
    searchPath.split(':').map((directory) => joinAsWritten(joinAsWritten(cwd, directory), word)),
  );
  const files = paths.slice(0, lookedAtMax);
  const known = searched.slice(0, programsMax);
  return {
    programs: known,
    files,
    more: paths.length - files.length + searched.length - known.length,
  };
}

function wordsOfShell(shell: string, line: string): LineWords {
  const found = wordsOfLine(line);
  return { ...found, programs: [shell, ...found.programs] };
}

function wordsOfArgv([program, ...rest]: readonly [string, ...string[]]): LineWords {
  const lines = rest.filter((word) => /\s/.test(word)).map(wordsOfLine);
  return {
    programs: [program, ...lines.flatMap(({ programs }) => programs)],
    words: [...rest, ...lines.flatMap(({ words }) => words)],
    directories: lines.flatMap(({ directories }) => directories),
  };
}

function placesOf(cwd: string, directories: readonly string[]): readonly string[] {
  const places = [cwd];
  let [written, folded] = [cwd, cwd];
  for (const directory of directories.slice(0, directoriesMax)) {
    written = joinAsWritten(written, directory);
    folded = resolve(folded, directory);
    places.push(written, folded);
  }
  return [...new Set(places)];
}

/* The first has no `..` in it. */
function readingsOf(path: string): readonly string[] {
  const folded = resolve(path);
  return folded === path ? [path] : [folded, path];
}

function withValue(word: string): readonly string[] {
  const at = word.indexOf('=');
  return at === -1 ? [word] : [word, word.slice(at + 1)];
}
