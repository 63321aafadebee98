/*
 * One row per method: a good call, and what another account may learn from it. The two-account matrix and the fuzzing walk these; a method
 * without a row fails the build.
 */
import type { RpcMethodName } from '@clawdfather/protocol/acp';
import type { Made } from '../matrix/rows.ts';

export interface RpcRow {
  /* `names`: a thing by its id; to others it is missing. `lists`: shows one's own. `makes`: makes one's own. `open`: the same for everybody. */
  readonly kind: 'names' | 'lists' | 'makes' | 'open';
  readonly params?: (made: Made) => object;
}

const byThread = ({ threadId }: Made): object => ({ threadId });
const byTurn = ({ turnId }: Made): object => ({ turnId });

export const rpcRows: Readonly<Record<RpcMethodName, RpcRow>> = {
  'acp.capabilities': { kind: 'open' },
  'session.start': {
    kind: 'names',
    params: ({ threadId }) => ({ threadId, taskPrompt: 'hello' }),
  },
  'session.message': {
    kind: 'names',
    params: ({ threadId }) => ({ threadId, taskPrompt: 'hello', idempotencyKey: 'once' }),
  },
  'session.cancel': {
    kind: 'names',
    params: ({ threadId, turnId }) => ({ threadId, turnId }),
  },
  'session.close': { kind: 'names', params: ({ sessionId }) => ({ sessionId }) },
  'permissions.list': { kind: 'lists' },
  'permissions.respond': {
    kind: 'names',
    params: ({ askId }) => ({ requestId: askId, decision: 'cancel' }),
  },
  'tasks.get': { kind: 'names', params: byTurn },
  'tasks.list': { kind: 'lists' },
  'tasks.cancel': { kind: 'names', params: byTurn },
  'tasks.queue': { kind: 'lists', params: () => ({ lane: 'echo' }) },
  'threads.list': { kind: 'lists' },
  'threads.get': { kind: 'names', params: byThread },
  'threads.archive': { kind: 'names', params: byThread },
};

export const everyRpcRow = Object.entries(rpcRows) as readonly (readonly [RpcMethodName, RpcRow])[];

/* Everything has this id. */
export function madeOf(id: string): Made {
  return new Proxy({} as Made, { get: () => id });
}
