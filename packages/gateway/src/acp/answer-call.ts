/*
 * One call of JSON-RPC, from its name to its answer. Stages: 1 is there such a method · 2 may the caller · 3 are the parameters of the right
 * shape · 4 the handler. A stage that refuses ends the call; whatever goes wrong is an answer.
 */
import {
  findMethod,
  renameParams,
  type RpcAnswer,
  type RpcId,
  rpcMethods,
  type RpcMethodName,
} from '@clawdfather/protocol/acp';
import type { Log } from '@clawdfather/kit';
import type { FairTurns } from '../accounts/fair-turns.ts';
import { checkAccess } from '../http/caller.ts';
import { toRefusal } from '../socket/to-refusal.ts';
import { showCapabilities } from './capabilities.ts';
import type { RpcItem, RpcRequest } from './parse-message.ts';
import { listPermissions, respondToPermission } from './permission-methods.ts';
import { showQueue } from './queue-methods.ts';
import {
  type Following,
  type RpcAsker,
  type RpcDeps,
  type RpcHandler,
  threadsFor,
} from './rpc-call.ts';
import { type RpcErrorBody, rpcErrorOf, rpcErrorWith } from './rpc-error.ts';
import { cancelSession, closeSession, sendMessage, startSession } from './session-methods.ts';
import { cancelTask, getTask, listTasks } from './task-methods.ts';
import { archiveThread, getThread, listThreads } from './thread-methods.ts';

type Handlers = { readonly [Name in RpcMethodName]: RpcHandler<Name> };

const handlers: Handlers = {
  'acp.capabilities': showCapabilities,
  'session.start': startSession,
  'session.message': sendMessage,
  'session.cancel': cancelSession,
  'session.close': closeSession,
  'permissions.list': listPermissions,
  'permissions.respond': respondToPermission,
  'tasks.get': getTask,
  'tasks.list': listTasks,
  'tasks.cancel': cancelTask,
  'tasks.queue': showQueue,
  'threads.list': listThreads,
  'threads.get': getThread,
  'threads.archive': archiveThread,
};

export type RpcResultKind = 'ok' | 'refused' | 'failed';

export interface AnswerDeps extends RpcDeps {
  readonly log: Log;
  readonly turns: Pick<FairTurns, 'goOn'>;
  /* Told of every call: its method, or `unknown`. */
  readonly onCall: (method: RpcMethodName | 'unknown', kind: RpcResultKind) => void;
}

export interface Answered {
  /* Undefined: a notification, which is not answered. */
  readonly answer: RpcAnswer | undefined;
  readonly follow?: Following | undefined;
  readonly isOlder: boolean;
}

/* Never rejects. */
export async function answerCall(
  deps: AnswerDeps,
  asker: RpcAsker,
  item: RpcItem,
): Promise<Answered> {
  if ('error' in item) {
    deps.onCall('unknown', 'refused');
    return { answer: refusalOf(deps, item.id, item.error), isOlder: false };
  }
  const found = findMethod(item.method);
  if (found === undefined) {
    deps.onCall('unknown', 'refused');
    const error = rpcErrorWith('method', 'there is no such method');
    return { answer: answerTo(deps, item, { error }), isOlder: false };
  }
  const params = renameParams(item.params);
  const isOlder = found.isOlder || params.isOlder;
  const { name } = found;
  try {
    const outcome = await handle(deps, asker, { name, params: params.value, isOlder });
    deps.onCall(name, 'ok');
    const { result, follow } = outcome;
    return { answer: answerTo(deps, item, { result }), follow, isOlder };
  } catch (thrown) {
    const refusal = toRefusal(thrown);
    const isOurs = refusal.status >= 500;
    deps.onCall(name, isOurs ? 'failed' : 'refused');
    const { traceId } = asker;
    if (isOurs) {
      const { code, cause: error } = refusal;
      deps.log.error('rpc.call.failed', {
        component: 'rpc',
        trace_id: traceId,
        method: name,
        code,
        error,
      });
    }
    return { answer: answerTo(deps, item, { error: rpcErrorOf(refusal, traceId) }), isOlder };
  }
}

/* One after the other, and after each one others have their turn: a batch is not in front of those who ask for less. */
export async function answerEach(
  deps: AnswerDeps,
  asker: RpcAsker,
  items: readonly RpcItem[],
): Promise<readonly RpcAnswer[]> {
  const answers: RpcAnswer[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0) await deps.turns.goOn(asker.caller);
    const { answer } = await answerCall(deps, asker, item);
    if (answer !== undefined) answers.push(answer);
  }
  return answers;
}

interface NamedCall {
  readonly name: RpcMethodName;
  readonly params: object;
  readonly isOlder: boolean;
}

async function handle(deps: AnswerDeps, asker: RpcAsker, { name, params, isOlder }: NamedCall) {
  const { access, params: schema } = rpcMethods[name];
  checkAccess(asker.caller, access);
  // The table has checked the pair; a name that is known only now cannot be typed.
  const handler = handlers[name] as unknown as RpcHandler<'threads.list'>;
  const parsed = schema.parse(params) as never;
  const mine = threadsFor(deps, asker);
  return handler({ ...asker, deps, params: parsed, isOlder, mine });
}

type Content = { readonly result: unknown } | { readonly error: RpcErrorBody };

function answerTo(
  deps: Pick<RpcDeps, 'instance'>,
  { id }: RpcRequest,
  content: Content,
): RpcAnswer | undefined {
  return id === undefined ? undefined : formatAnswer(deps, id, content);
}

/* Of what is no call: it is always answered, since nobody can know whether it had an id. */
export function refusalOf(
  deps: Pick<RpcDeps, 'instance'>,
  id: RpcId,
  error: RpcErrorBody,
): RpcAnswer {
  return formatAnswer(deps, id, { error });
}

export function formatAnswer(
  { instance }: Pick<RpcDeps, 'instance'>,
  id: RpcId,
  content: Content,
): RpcAnswer {
  const { instanceId, generation } = instance.identity ?? {};
  const gateway =
    instanceId === undefined || generation === undefined ? null : { instanceId, generation };
  return { jsonrpc: '2.0', id, ...content, gateway };
}
