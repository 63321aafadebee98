/*
 * What a shim's refusal, or its silence, means to a caller: the shim's words in the supervisor's codes.
 */
import { ShimError, ShimRefusedError, ShimUnreachableError } from '@clawdfather/shim';
import { SupervisorError, type SupervisorErrorCode } from '../../errors.ts';

/* Errors that are not the shim's pass through unchanged. */
export function refusalOf(error: unknown): unknown {
  const found = meaningOf(error);
  if (found === undefined) return error;
  const { code, message, ...parts } = found;
  return new SupervisorError(code, message, { cause: error, ...parts });
}

/* For commands that mean nothing to a run that is over: half-closing it, resizing it. */
export function unlessOver(error: unknown): void {
  if (meaningOf(error)?.code !== 'not-running') throw refusalOf(error);
}

interface Meaning {
  readonly code: SupervisorErrorCode;
  readonly message: string;
  readonly hint?: string;
}

function meaningOf(error: unknown): Meaning | undefined {
  if (error instanceof ShimRefusedError) return meaningOfRefusal(error);
  if (error instanceof ShimUnreachableError) {
    const isGone = error.reason === 'refused' || error.reason === 'missing';
    return isGone ? over : silent(error);
  }
  if (!(error instanceof ShimError)) return undefined;
  if (error.code === 'link-lost') return over;
  return error.code === 'shim-timeout' ? silent(error) : undefined;
}

function silent({ message }: ShimError): Meaning {
  const hint =
    'Its shim does not answer, and nothing proves that it is dead: it may be stopped (kill -CONT) or on a host ' +
    'that is very busy. Nothing was done; try again.';
  return { code: 'shim-unreachable', message, hint };
}

/* T7: to a shim, SIGTERM is the command to end its run. */
const noKey =
  'the journal is damaged where it holds the key to the shim, so nothing can be sent to the run';
const byHand =
  'It can be ended by hand: SIGTERM to its clf-shim process, the parent of its command, ends the whole tree.';

const over: Meaning = { code: 'not-running', message: 'the run has ended' };

function meaningOfRefusal({ refusal, message }: ShimRefusedError): Meaning | undefined {
  switch (refusal) {
    case 'closed':
      return { code: 'stdin-closed', message: 'the command has closed its input' };
    case 'not-running':
      return over;
    case 'bad-cookie':
      return { code: 'shim-unreachable', message: noKey, hint: byHand };
    case 'stale-epoch':
      return { code: 'epoch-stale', message };
    default:
      return undefined;
  }
}
