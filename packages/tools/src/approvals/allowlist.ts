/*
 * The allowlist: is every program that an action can run one that may run unasked?
 *
 * Rules are about files, never about text. A program word is looked up as it will be when it runs (PATH, directory), and
 * two paths must fit a rule: where the name leads (its directory's links followed) and the file it is in the end. The
 * second alone would let `rm` run because `ls` may, where both are links to one binary; the first alone would follow a link
 * to wherever somebody points it.
 *
 * A line that cannot be read for certain is a miss; so is whatever runs on another machine, whose files cannot be seen from here.
 */
import type { ApprovalStore } from '@clawdfather/supervisor';
import { commandsOfLine } from '../shell/commands-of-line.ts';
import { isReadableShell } from '../shell/readable-shell.ts';
import type { ProposedAction } from './gatekeeper.ts';
import { type FoundProgram, findProgram } from './find-program.ts';
import { isStarterProgram } from './starter-programs.ts';

export type AllowlistAnswer =
  /* For a person: which programs. */
  | { readonly kind: 'match'; readonly what: string }
  | {
      readonly kind: 'miss';
      /* For a person: what was not covered. */
      readonly why: string;
      /* Rules that would make it a match; none when no rule could. */
      readonly missing: readonly FoundProgram[] | undefined;
    };

export interface Allowlist {
  find(action: ProposedAction, searchPath: string): AllowlistAnswer;
}

/* `paths` are programs that the settings allow, by absolute path. */
export function createAllowlist(
  store: Pick<ApprovalStore, 'allowRules'>,
  paths: readonly string[] = [],
): Allowlist {
  return {
    find: (action, searchPath) => {
      const reading = wordsOf(action);
      if (reading.kind === 'miss') return { ...reading, missing: undefined };
      const rules = [...store.allowRules(action.account), ...rulesOf(paths)];
      const isAllowed = (program: FoundProgram): boolean =>
        isStarterProgram(program) ||
        rules.some(
          (rule) => rule.namedPath === program.namedPath && rule.realPath === program.realPath,
        );
      return judge(reading.words, (word) => findProgram(word, searchPath, reading.cwd), isAllowed);
    },
  };
}

/* Looked at each time: what a path leads to may change, and a rule is about what is there now. */
function rulesOf(paths: readonly string[]): readonly FoundProgram[] {
  return paths.flatMap((path) => {
    const found = path.startsWith('/') ? findProgram(path, '', undefined) : undefined;
    return found?.kind === 'found' ? [found.program] : [];
  });
}

type Words =
  | { readonly kind: 'words'; readonly words: readonly string[]; readonly cwd: string | undefined }
  | { readonly kind: 'miss'; readonly why: string };

/* The program words of an action, and the directory they are looked up from: undefined once the line changes it. */
function wordsOf({ command, cwd, host, envAdditions }: ProposedAction): Words {
  if (host !== 'local') return { kind: 'miss', why: `it runs on another machine (${host})` };
  if (command.kind === 'argv') return { kind: 'words', words: [command.argv[0]], cwd };
  if (!isReadableShell(command.shell)) {
    return { kind: 'miss', why: `${command.shell} is not a shell whose lines are read here` };
  }
  // As in a line that sets it: in some locales a letter holds a backslash, and bash reads what follows otherwise.
  if (Object.keys(envAdditions).some(isLocaleName) && /[^ -~\n\t]/.test(command.line)) {
    return { kind: 'miss', why: 'it changes the locale and is not all ASCII' };
  }
  const reading = commandsOfLine(command.line);
  if (reading.kind === 'miss') return { kind: 'miss', why: reading.why };
  return {
    kind: 'words',
    words: reading.programs,
    cwd: reading.changesDirectory ? undefined : cwd,
  };
}

function isLocaleName(name: string): boolean {
  return name === 'LANG' || name.startsWith('LC_');
}

function judge(
  words: readonly string[],
  find: (word: string) => ReturnType<typeof findProgram>,
  isAllowed: (program: FoundProgram) => boolean,
): AllowlistAnswer {
  const paths: string[] = [];
  const missing: FoundProgram[] = [];
  const unknown: string[] = [];
  for (const word of new Set(words)) {
    const found = find(word);
    if (found.kind === 'unknown') unknown.push(found.why);
    else if (isAllowed(found.program)) paths.push(found.program.namedPath);
    else missing.push(found.program);
  }
  if (missing.length === 0 && unknown.length === 0) {
    return { kind: 'match', what: paths.join(', ') || 'the shell alone' };
  }
  const notListed = missing.map(({ namedPath }) => `${namedPath} is not on the allowlist`);
  return {
    kind: 'miss',
    why: [...notListed, ...unknown].join('; '),
    missing: unknown.length === 0 ? missing : undefined,
  };
}
