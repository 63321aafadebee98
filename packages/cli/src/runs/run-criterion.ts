/*
 * What `--filter` can ask of a run: `state=running`, `label=team=web`. A state may be any word that `ps` shows in its STATE column,
 * and a reason any that `ps` shows for it.
 */
import { nameLabel } from '@clawdfather/supervisor/origins';
import type { RunState, TerminationReason } from '@clawdfather/supervisor';
import type { TextKind } from '../args/kinds.ts';
import { suggestNearest } from '../args/suggest.ts';
import { usageError } from '../errors.ts';
import { endWords } from '../render/exit-text.ts';

export type RunCriterion =
  | { readonly by: 'state'; readonly state: RunState }
  /* How it ended, as `ps` says it: `ok`, `exit 3`, `SIGSEGV`. */
  | { readonly by: 'end'; readonly word: string }
  /* Any end but `ok`. */
  | { readonly by: 'failed' }
  | { readonly by: 'reason'; readonly reasons: readonly TerminationReason[] }
  | { readonly by: 'session' | 'backend'; readonly value: string }
  | { readonly by: 'label'; readonly label: string; readonly value: string };

const runStates: readonly RunState[] = ['starting', 'running', 'exiting', 'exited'];

type EndReason = keyof typeof endWords;
const endReasons = Object.keys(endWords) as readonly EndReason[];
const endWordList: readonly string[] = [...new Set(Object.values(endWords))];
const reasons: readonly TerminationReason[] = ['exit', 'signal', ...endReasons];

export const runCriterion: TextKind<RunCriterion> = {
  placeholder: 'KEY=VALUE',
  completes: completedCriteria(),
  fromText: parseRunCriterion,
};

/* A shell takes words with a space for two, so a dash may stand in its place: `state=idle-timeout`. */
function withDashes(word: string): string {
  return word.replaceAll(' ', '-');
}

function completedCriteria(): readonly string[] {
  const ends = ['ok', 'failed', ...endWordList].map(withDashes);
  return [
    ...[...runStates, ...ends].map((word) => `state=${word}`),
    ...reasons.map((reason) => `reason=${reason}`),
  ];
}

function parseRunCriterion(label: string, text: string): RunCriterion {
  const equals = text.indexOf('=');
  const key = equals === -1 ? '' : text.slice(0, equals);
  const value = text.slice(equals + 1);
  switch (key) {
    case 'state':
      return parseState(label, value);
    case 'reason':
      return parseReason(label, value);
    case 'session':
    case 'backend':
      return { by: key, value };
    case 'name':
      return { by: 'label', label: nameLabel, value };
    case 'label': {
      const split = value.indexOf('=');
      if (split < 1) throw usageError(`${label} label= needs K=V: "${text}"`);
      return { by: key, label: value.slice(0, split), value: value.slice(split + 1) };
    }
    default:
      throw usageError(
        `${label} does not know "${text}"`,
        'Known: state=, reason=, name=, session=, backend=, label=K=V.',
      );
  }
}

function parseState(label: string, value: string): RunCriterion {
  const state = runStates.find((one) => one === value);
  if (state !== undefined) return { by: 'state', state };
  const word = value.replaceAll('-', ' ');
  const isEnd =
    word === 'ok' || endWordList.includes(word) || /^(exit \d+|SIG[A-Z0-9]+)$/.test(word);
  if (isEnd) return { by: 'end', word };
  if (value === 'failed') return { by: 'failed' };
  const others = ["'exit N'", 'SIGNAME'];
  throw unknownWord(`${label} state`, value, [
    ...runStates,
    'ok',
    'failed',
    ...endWordList,
    ...others,
  ]);
}

function parseReason(label: string, value: string): RunCriterion {
  const named = reasons.filter((one) => one === value);
  const shown = endReasons.filter((reason) =>
    [endWords[reason], withDashes(endWords[reason])].includes(value),
  );
  if (named.length + shown.length > 0) return { by: 'reason', reasons: [...named, ...shown] };
  throw unknownWord(`${label} reason`, value, [...reasons, ...endWordList]);
}

function unknownWord(label: string, value: string, known: readonly string[]): Error {
  const nearest = suggestNearest(value, known);
  const all = `Known: ${known.join(', ')}.`;
  return usageError(
    `${label} does not know "${value}"`,
    nearest === undefined ? all : `Did you mean "${nearest}"? ${all}`,
  );
}
