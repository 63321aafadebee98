/*
 * What `--filter` can ask of a run: `state=running`, `label=team=web`.
 */
import type { RunState } from '@clawdfather/supervisor';
import type { TextKind } from '../args/kinds.ts';
import { parseChoice } from '../args/values.ts';
import { usageError } from '../errors.ts';
import { nameLabel } from '../render/run-json.ts';

export type RunCriterion =
  | { readonly by: 'state'; readonly state: RunState }
  | { readonly by: 'reason' | 'session' | 'backend'; readonly value: string }
  | { readonly by: 'label'; readonly label: string; readonly value: string };

const runStates: readonly RunState[] = ['starting', 'running', 'exiting', 'exited'];

export const runCriterion: TextKind<RunCriterion> = {
  placeholder: 'KEY=VALUE',
  completes: ['state=running', 'state=exited', 'reason=signal', 'reason=overall-timeout'],
  fromText: parseRunCriterion,
};

function parseRunCriterion(label: string, text: string): RunCriterion {
  const equals = text.indexOf('=');
  const key = equals === -1 ? '' : text.slice(0, equals);
  const value = text.slice(equals + 1);
  switch (key) {
    case 'state':
      return { by: key, state: parseChoice(`${label} state`, value, runStates) };
    case 'reason':
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
        'Known: state=, session=, backend=, reason=, name=, label=K=V.',
      );
  }
}
