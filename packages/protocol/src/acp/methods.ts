/*
 * Every method that a gateway answers over JSON-RPC, as data: who may call it, what goes in, what comes back. The gateway validates with
 * this value, and the OpenAPI document, the two-account test and the fuzzing are made from it.
 */
import { z } from 'zod';
import type { Scope } from '../api/endpoint.ts';
import { turnStatusSchema } from '../api/threads.ts';
import { renameMethod } from './older-names.ts';
import {
  cancelParams,
  getTaskParams,
  listTasksParams,
  listThreadsParams,
  messageOfThreadParams,
  noParams,
  queueParams,
  respondParams,
  startParams,
  threadParams,
} from './params.ts';
import { rpcThreadSchema, taskNotFoundSchema, taskQueueSchema, taskSchema } from './task.ts';

export interface RpcMethod {
  readonly summary: string;
  /* The scope that a token needs; a device has all of them. */
  readonly access: Exclude<Scope, 'admin'>;
  readonly params: z.ZodType;
  readonly result: z.ZodType;
}

function methods<const Table extends Readonly<Record<string, RpcMethod>>>(table: Table): Table {
  return table;
}

const permissionSchema = z
  .object({
    requestId: z.string(),
    sessionId: z.string().nullable(),
    threadId: z.string(),
    turnId: z.string().nullable(),
    class: z.enum(['permission', 'question', 'effect']),
    title: z.string(),
    /* As the agent sent it. */
    toolCall: z.unknown(),
    options: z.array(z.object({ optionId: z.string(), name: z.string(), kind: z.string() })),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'PermissionRequest' });

const capabilitiesSchema = z.object({
  protocolVersion: z.int(),
  gateway: z.object({ instanceId: z.string(), generation: z.int(), version: z.string() }),
  agents: z.array(z.object({ name: z.string(), title: z.string(), isInstalled: z.boolean() })),
  defaultAgent: z.string().nullable(),
  methods: z.array(z.string()),
  limits: z.object({
    messageBytesMax: z.int(),
    batchMax: z.int(),
    depthMax: z.int(),
    threadsFollowedMax: z.int(),
    keepAliveMs: z.int(),
    /* How long a turn may take, by its load class. */
    deadlinesMs: z.record(z.string(), z.int()),
  }),
  /* As every task says it of itself: while it runs, while it waits, and how long after its deadline. */
  poll: z.object({ intervalMs: z.int(), waitingIntervalMs: z.int(), afterDeadlineMs: z.int() }),
  /* For older clients. */
  availableExecutionTargets: z.array(z.string()),
  providerCatalog: z.array(z.object({ id: z.string(), name: z.string() })),
  gatewayProviders: z.array(z.string()),
  permissionRelay: z.boolean(),
});

const laneSchema = z.object({
  lane: z.enum(['agent', 'account', 'gateway']),
  /* Which agent's, of that lane. */
  agent: z.string().nullable(),
  active: z.int(),
  activeMax: z.int(),
  queued: z.int(),
  queuedMax: z.int(),
  oldestWaitMs: z.int().nullable(),
});

/* One of your own. */
const queuedTaskSchema = taskQueueSchema.extend({
  turnId: z.string(),
  threadId: z.string(),
  agent: z.string(),
});

const threadResult = z.object({ thread: rpcThreadSchema });

export const rpcMethods = methods({
  'acp.capabilities': {
    summary: 'Agents, limits, how to poll, versions',
    access: 'read',
    params: noParams,
    result: capabilitiesSchema,
  },
  'session.start': {
    summary: 'Say something in a new thread, or in one that is named',
    access: 'run',
    params: startParams,
    result: taskSchema,
  },
  'session.message': {
    summary: 'Say something in a thread',
    access: 'run',
    params: messageOfThreadParams,
    result: taskSchema,
  },
  'session.cancel': {
    summary: 'End the turn that runs, or the first that waits; the session stays',
    access: 'run',
    params: cancelParams,
    result: z.object({ accepted: z.boolean(), runCancelled: z.boolean() }),
  },
  'session.close': {
    summary: 'End the session with its agent; the thread stays',
    access: 'run',
    params: threadParams,
    result: z.object({ accepted: z.boolean(), sessionId: z.string().nullable() }),
  },
  'permissions.list': {
    summary: 'What agents wait for you to answer, oldest first',
    access: 'read',
    params: threadParams,
    result: z.object({ items: z.array(permissionSchema) }),
  },
  'permissions.respond': {
    summary: 'Answer it, once',
    access: 'approve',
    params: respondParams,
    result: z.object({ ok: z.literal(true), requestId: z.string(), state: z.string() }),
  },
  'tasks.get': {
    summary: 'One turn: by its id, or the newest of a thread, a session or a run',
    access: 'read',
    params: getTaskParams,
    result: z.union([taskSchema, taskNotFoundSchema]),
  },
  'tasks.list': {
    summary: 'Turns, newest first; without what agents said',
    access: 'read',
    params: listTasksParams,
    result: z.object({ items: z.array(taskSchema) }),
  },
  'tasks.cancel': {
    summary: 'End one turn. Cancelling twice is harmless',
    access: 'run',
    params: cancelParams,
    result: z.object({ accepted: z.boolean(), status: turnStatusSchema }),
  },
  'tasks.queue': {
    summary: 'What runs and what waits, by lane',
    access: 'read',
    params: queueParams,
    result: z.object({ lanes: z.array(laneSchema), positions: z.array(queuedTaskSchema) }),
  },
  'threads.list': {
    summary: 'Your threads, newest first',
    access: 'read',
    params: listThreadsParams,
    result: z.object({ items: z.array(rpcThreadSchema), total: z.int() }),
  },
  'threads.get': {
    summary: 'One thread, with its turns',
    access: 'read',
    params: threadParams,
    result: z.object({ thread: rpcThreadSchema, tasks: z.array(taskSchema) }),
  },
  'threads.archive': {
    summary: 'Put a thread away: its agent ends, and nothing more can be said in it',
    access: 'run',
    params: threadParams,
    result: threadResult,
  },
});

export type RpcMethods = typeof rpcMethods;
export type RpcMethodName = keyof RpcMethods;

export type RpcParams<Name extends RpcMethodName> = z.output<RpcMethods[Name]['params']>;
export type RpcResult<Name extends RpcMethodName> = z.input<RpcMethods[Name]['result']>;

/* Names that mean another one. */
const sameAs: ReadonlyMap<string, RpcMethodName> = new Map([['capabilities', 'acp.capabilities']]);

export interface FoundMethod {
  readonly name: RpcMethodName;
  readonly isOlder: boolean;
}

/* Undefined: there is no such method. */
export function findMethod(asked: string): FoundMethod | undefined {
  const { value, isOlder } = renameMethod(asked);
  const name = sameAs.get(value) ?? value;
  return Object.hasOwn(rpcMethods, name) ? { name: name as RpcMethodName, isOlder } : undefined;
}
