/*
 * The script of a fake agent: plain JSON, so that it can be handed to a process that somebody else starts. Tests write it
 * with the functions of build-steps.ts.
 *
 * Steps are played one after the other. Answers to the agent's own requests are kept by the names of those requests.
 * What the client asks waits in a queue until a step expects it: a request that comes in place of the expected one fails
 * the script, a notification in place of it is skipped.
 */
import type { Json, JsonObject, RpcError, RpcId } from './messages.ts';

export interface Script {
  /** Stands in the trace. */
  readonly name?: string;
  readonly steps: readonly Step[];
  /** Results for requests that are answered whenever they come, by method. */
  readonly always?: JsonObject;
  /** The directories and files that the command line may name as well. */
  readonly gates?: string;
  readonly trace?: string;
  /** Do not end when the input ends, but stay until killed. */
  readonly staysAtEnd?: boolean;
  /** Signals that change nothing. */
  readonly ignoredSignals?: readonly NodeJS.Signals[];
}

/** Between two pieces of a message: where in bytes (from the end if negative), and what happens before going on. */
export interface Cut {
  readonly at: number;
  readonly gate?: string;
  readonly stderr?: string;
}

/** Each step that sends a message may send it in pieces. */
interface Cuttable {
  readonly cuts?: readonly Cut[];
}

export interface ExpectStep {
  readonly do: 'expect';
  readonly method: string;
  /** What the params must contain: objects by the keys given, everything else whole. */
  readonly params?: Json;
  readonly as?: string;
}

export interface RespondStep extends Cuttable {
  readonly do: 'respond';
  readonly result?: Json;
  readonly error?: RpcError;
  /** The name of an expected request; without it the latest. */
  readonly to?: string;
  /** A wire id instead, which nobody needs to have used. */
  readonly id?: RpcId;
}

export interface UpdateStep extends Cuttable {
  readonly do: 'update';
  readonly update: JsonObject;
  readonly sessionId?: string;
}

export interface NotifyStep extends Cuttable {
  readonly do: 'notify';
  readonly method: string;
  readonly params: JsonObject;
}

export interface AskStep extends Cuttable {
  readonly do: 'ask';
  readonly method: string;
  /** Gains the session's id if it names none. */
  readonly params: JsonObject;
  readonly as?: string;
  /** The wire id; without it the next number from 0. */
  readonly id?: RpcId;
  /** Go on without an answer. */
  readonly isLeftOpen?: boolean;
  /** What the answer must contain: `{ result }` or `{ error }`. */
  readonly answer?: Json;
}

export interface TurnStep {
  readonly do: 'turn';
  readonly params?: Json;
  readonly as?: string;
  readonly steps: readonly Step[];
  /** On `session/cancel` while the steps are played: play these instead of the rest, take no notice, or let a step expect it. */
  readonly onCancel: readonly Step[] | 'ignore' | 'expect';
}

export type Step =
  | ExpectStep
  | RespondStep
  | UpdateStep
  | NotifyStep
  | AskStep
  | TurnStep
  | { readonly do: 'answer'; readonly of: string; readonly match?: Json }
  | { readonly do: 'say-answer'; readonly of: string }
  | { readonly do: 'withdraw'; readonly of: string }
  /** An update whose line, with its newline, has this many bytes. */
  | { readonly do: 'fill'; readonly bytes: number }
  /** Bytes as they are, in Base64. */
  | { readonly do: 'raw'; readonly base64: string }
  | { readonly do: 'stderr'; readonly text: string }
  | { readonly do: 'gate'; readonly name: string }
  | { readonly do: 'background'; readonly steps: readonly Step[] }
  | { readonly do: 'input'; readonly isPaused: boolean }
  | StartChildStep
  | { readonly do: 'exit'; readonly code: number }
  | { readonly do: 'die'; readonly signal: NodeJS.Signals };

export interface StartChildStep {
  readonly do: 'child';
  readonly name: string;
  readonly argv: readonly string[];
  /** A session of its own, as a daemon has. */
  readonly isApart?: boolean;
  /** It keeps the agent's output open after the agent has ended. */
  readonly holdsOutput?: boolean;
}

/** The exit code of an agent whose script could not go on; the trace and its stderr say why. */
export const scriptFailedCode = 70;

export function parseScript(text: string, from: string): Script {
  let script: unknown;
  try {
    script = JSON.parse(text);
  } catch (error) {
    throw new Error(`${from} is no JSON: ${(error as Error).message}`, { cause: error });
  }
  if (typeof script !== 'object' || script === null || !('steps' in script))
    throw new Error(`${from} is no script: it has no "steps"`);
  if (!Array.isArray(script.steps)) throw new Error(`${from}: "steps" is no list`);
  return script as Script;
}
