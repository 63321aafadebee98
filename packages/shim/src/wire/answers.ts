/*
 * What spawnd and shims say, as types. `parse-answer.ts` makes them.
 */
import type { EndRecord, ExitRecord, StartRecord } from '../journal/records.ts';
import type { RefusalName, ShimState, TerminationReason } from './constants.ts';

export interface HelloAnswer {
  readonly type: 'hello';
  readonly version: number;
  readonly state: ShimState;
  readonly isPty: boolean;
  readonly isStdinOpen: boolean;
  readonly isBlocked: boolean;
  readonly epoch: number;
  readonly inputOffset: number;
  readonly typedBytes: number;
  readonly journalLength: number;
  readonly shimPid: number;
  readonly rootPid: number;
}

export interface StartedAnswer {
  readonly type: 'started';
  readonly start: StartRecord;
}

export interface DoorbellAnswer {
  readonly type: 'doorbell';
  readonly journalLength: number;
  /* The journal's last bytes, whole frames, if they are few: what came since the doorbell before. */
  readonly tail?: Buffer | undefined;
}

export interface ExitAnswer {
  readonly type: 'exit';
  readonly journalLength: number;
  readonly exit: ExitRecord;
}

export interface EndAnswer {
  readonly type: 'end';
  readonly journalLength: number;
  readonly exit: ExitRecord;
  readonly end: EndRecord;
  /* The whole journal, if it is small. A view of the received bytes. */
  readonly journal: Buffer | undefined;
}

export interface SpawnErrorAnswer {
  readonly type: 'spawn-error';
  readonly stage: string;
  readonly errno: number;
  readonly message: string;
  /* False: the run was never claimed, nothing is journalled, and this was the last word. */
  readonly endFollows: boolean;
}

export interface OkAnswer {
  readonly type: 'ok';
  readonly epoch: number;
  readonly inputOffset: number;
  /* E8: the client that gets this answers the terminal's queries. */
  readonly answersQueries: boolean;
  /* To ATTACH: its place among the terminals, from 1; those behind it move up when it goes. 0 to anything else. */
  readonly terminalPlace: number;
  /* After whatever this command wrote. */
  readonly journalLength: number;
}

export interface RefusedAnswer {
  readonly type: 'refused';
  readonly refusal: RefusalName | 'unknown';
  readonly epoch: number;
  readonly message: string;
}

export interface BlockedAnswer {
  readonly type: 'blocked';
  readonly isBlocked: boolean;
  readonly why: string | undefined;
  readonly errno: number | undefined;
}

/* T8: the shim died without its final END and spawnd swept its tree. */
export interface ShimLostAnswer {
  readonly type: 'shim-lost';
  readonly shimPid: number;
  readonly signal: number | undefined;
  readonly swept: number;
  /* How many of its tree could not be ended. */
  readonly left: number;
}

/* T5: the run is being ended, and this is the first cause. */
export interface TerminatingAnswer {
  readonly type: 'terminating';
  readonly reason: TerminationReason;
  readonly actor: string | undefined;
}

export interface SpawndHelloAnswer {
  readonly type: 'spawnd-hello';
  readonly version: number;
  readonly pid: number;
  readonly startTicks: number;
  readonly bootId: string;
  readonly pidNs: number;
}

export type Answer =
  | HelloAnswer
  | StartedAnswer
  | DoorbellAnswer
  | ExitAnswer
  | EndAnswer
  | SpawnErrorAnswer
  | OkAnswer
  | RefusedAnswer
  | BlockedAnswer
  | ShimLostAnswer
  | TerminatingAnswer
  | SpawndHelloAnswer;
