/*
 * The allowlist: whether every program that an action can run may run unasked, and which rule says so.
 *
 * Rules are about files, never about text. A program word is looked up as it will be when it runs (PATH, directory), and
 * two paths must fit a rule: where the name leads (its directory's links followed) and the file it is in the end. The
 * second alone would let `rm` run because `ls` may, where both are links to one binary; the first alone would follow a link
 * that can be pointed elsewhere.
 *
 * A line that cannot be read for certain is a miss; so is a command on another host, whose files cannot be checked from here.
 * A person's rule covers everything that a program does. The starter list does not: what it lets through is confined to
 * the working tree, and one part of a line cannot be confined alone. So a line with programs of both kinds is a miss, unless
 * its other parts could have read everything anyway.
 */
import { localHost } from '@clawdfather/supervisor/origins';
import { commandsOfLine } from '../shell/commands-of-line.ts';
import type { LineReads } from '../shell/line-reads.ts';
import { isReadableShell } from '../shell/readable-shell.ts';
import type { ProposedAction } from './gatekeeper.ts';
import { type FoundProgram, findProgram } from './find-program.ts';
import type { SeenFiles } from './seen-files.ts';
import { canReadAnything, isStarterProgram, readsNothing } from './starter-programs.ts';

export interface AllowlistMiss {
  readonly kind: 'miss';
  /* For a person: what was not covered. */
  readonly why: string;
  /* Rules that would make it a match; none when no rule could. */
  readonly missing: readonly FoundProgram[] | undefined;
  /* The one program that it names, if there is none: it cannot run, whatever anybody allows. */
  readonly absent?: string | undefined;
}

export type AllowlistAnswer =
  /* `what` is for a person: which programs. */
  | {
      readonly kind: 'match';
      readonly what: string;
      readonly by: 'person';
      /* Ids of the rules that people have made; what the settings allow has none. */
      readonly rules: readonly string[];
    }
  /* By our own list alone. */
  | {
      readonly kind: 'match';
      readonly what: string;
      readonly by: 'starter';
      readonly readsFiles: boolean;
      /* Where none of its programs reads: the word for which the shell may look into directories. */
      readonly filledIn?: string | undefined;
    }
  | AllowlistMiss;

export interface Allowlist {
  /* `seen`: where the command finds what it names; undefined: where we do. */
  find(action: ProposedAction, searchPath: string, seen?: SeenFiles): AllowlistAnswer;
}

/* A program that runs unasked; one that the settings name has no id. */
interface Rule extends FoundProgram {
  readonly ruleId?: string;
}

interface RuleSource {
  readonly allowRules: (account: string) => readonly Rule[];
}

/* `paths` are programs that the settings allow, by absolute path. */
export function createAllowlist(store: RuleSource, paths: readonly string[] = []): Allowlist {
  return {
    find: (action, searchPath, seen) => {
      const reading = wordsOf(action);
      if (reading.kind === 'miss') return { ...reading, missing: undefined };
      const rules: readonly Rule[] = [...store.allowRules(action.account), ...rulesOf(paths)];
      const find = (word: string) => findProgram(word, { searchPath, cwd: reading.cwd, seen });
      const [only, ...others] = reading.words;
      if (only !== undefined && others.length === 0 && reading.isOneCommand) {
        const found = find(only);
        if (found.kind === 'unknown' && found.isAbsent) {
          return { kind: 'miss', why: found.why, missing: undefined, absent: only };
        }
      }
      return judge(sortPrograms(reading.words, { find, rules }), reading.shell);
    },
  };
}

/* Resolved at each check: what a path leads to may change, and a rule is about what is there now. */
function rulesOf(paths: readonly string[]): readonly FoundProgram[] {
  return paths.flatMap((path) => {
    const found = path.startsWith('/')
      ? findProgram(path, { searchPath: '', cwd: undefined })
      : undefined;
    return found?.kind === 'found' ? [found.program] : [];
  });
}

type Words =
  | {
      readonly kind: 'words';
      readonly words: readonly string[];
      readonly cwd: string | undefined;
      readonly shell: LineReads;
      /* Nothing stands beside its program that would run without it, or that could bring it about. */
      readonly isOneCommand: boolean;
    }
  | { readonly kind: 'miss'; readonly why: string };

/* The program words of an action, and the directory they are looked up from: undefined once the line changes it. */
function wordsOf({ command, cwd, host, hostName, envAdditions }: ProposedAction): Words {
  if (host !== localHost) {
    return { kind: 'miss', why: `it runs on another machine (${hostName ?? host})` };
  }
  if (command.kind === 'argv') {
    const shell = { files: false, names: undefined };
    return { kind: 'words', words: [command.argv[0]], cwd, shell, isOneCommand: true };
  }
  if (!isReadableShell(command.shell)) {
    return { kind: 'miss', why: `${command.shell} is not a shell whose lines are read here` };
  }
  // Refused here as in a line: in some locales a character contains a backslash byte, and bash reads the rest differently.
  if (Object.keys(envAdditions).some(isLocaleName) && /[^ -~\n\t]/.test(command.line)) {
    return { kind: 'miss', why: 'it changes the locale and is not all ASCII' };
  }
  const reading = commandsOfLine(command.line);
  if (reading.kind === 'miss') return { kind: 'miss', why: reading.why };
  return {
    kind: 'words',
    words: reading.programs,
    cwd: reading.changesDirectory ? undefined : cwd,
    shell: reading.reads,
    isOneCommand: oneCommand.test(command.line),
  };
}

/* A program and its arguments, with nothing that a shell would make more of. */
const oneCommand = /^[\w./+-]+(?: [^;&|<>(){}$`\n]*)?$/;

function isLocaleName(name: string): boolean {
  return name === 'LANG' || name.startsWith('LC_');
}

/* The programs of an action, sorted by the rule that lets them run. */
interface Sorted {
  readonly persons: FoundProgram[];
  /* That let the former run, by their ids. */
  readonly rules: string[];
  readonly starters: FoundProgram[];
  readonly missing: FoundProgram[];
  /* Why the other programs are not known. */
  readonly unknown: string[];
}

interface Lookup {
  readonly find: (word: string) => ReturnType<typeof findProgram>;
  readonly rules: readonly Rule[];
}

function sortPrograms(words: readonly string[], { find, rules }: Lookup): Sorted {
  const sorted: Sorted = { persons: [], rules: [], starters: [], missing: [], unknown: [] };
  for (const word of new Set(words)) {
    const found = find(word);
    if (found.kind === 'unknown') {
      sorted.unknown.push(found.why);
      continue;
    }
    const { program } = found;
    const rule = rules.find(
      ({ namedPath, realPath }) => namedPath === program.namedPath && realPath === program.realPath,
    );
    if (rule !== undefined) {
      sorted.persons.push(program);
      if (rule.ruleId !== undefined) sorted.rules.push(rule.ruleId);
    } else if (isStarterProgram(program)) sorted.starters.push(program);
    else sorted.missing.push(program);
  }
  return sorted;
}

function judge(sorted: Sorted, shell: LineReads): AllowlistAnswer {
  const { persons, rules, starters, missing, unknown } = sorted;
  const readers = starters.filter((program) => !readsNothing(program));
  const mixed = whyMixed([...persons, ...missing], readers, shell);
  if (missing.length > 0 || unknown.length > 0 || mixed !== undefined) {
    const notListed = missing.map(({ namedPath }) => `${namedPath} is not on the allowlist`);
    return {
      kind: 'miss',
      why: [...notListed, ...unknown, ...(mixed === undefined ? [] : [mixed])].join('; '),
      missing: unknown.length === 0 && mixed === undefined ? missing : undefined,
    };
  }
  const what = [...persons, ...starters].map(({ namedPath }) => namedPath).join(', ');
  if (persons.length > 0) return { kind: 'match', what, by: 'person', rules };
  const isReader = readers.length > 0 || shell.files;
  return {
    kind: 'match',
    what: what || 'the shell alone',
    by: 'starter',
    readsFiles: isReader || shell.names !== undefined,
    ...(isReader ? {} : { filledIn: shell.names }),
  };
}

/* Why a line cannot have programs of the starter list beside programs that a person allowed, or would have to allow. */
function whyMixed(
  persons: readonly FoundProgram[],
  readers: readonly FoundProgram[],
  shell: LineReads,
): string | undefined {
  const [person] = persons;
  if (person === undefined || persons.some(canReadAnything)) return undefined;
  const names = readers.map(({ namedPath }) => namedPath);
  const reading = [...names, ...(shell.files ? ['the shell'] : [])].join(', ');
  if (reading === '') return undefined;
  return `${reading} can be confined to the working tree only where ${person.namedPath} is not in the same line`;
}
