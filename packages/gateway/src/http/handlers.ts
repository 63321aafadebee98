/*
 * What a handler is given, and what the handlers of a group look like: one function per endpoint of the group, no more and no
 * fewer, typed by the endpoint's schemas.
 */
import type { KeyHolder } from '@clawdfather/agents';
import type { Asker } from '@clawdfather/sessions';
import type { AuditEntry } from '@clawdfather/store';
import type {
  Access,
  AnswerOf,
  Endpoint,
  EndpointGroup,
  RequestOf,
} from '@clawdfather/protocol/api';
import type { FastifyReply } from 'fastify';
import { actorOf, type Caller } from './caller.ts';

export interface RequestFacts {
  /* The client's, behind trusted proxies too. */
  readonly ip: string;
  readonly userAgent: string | undefined;
  readonly traceId: string;
  /* A header, for the few endpoints that need one. */
  header(name: string): string | undefined;
  /* From here on it waits for a person or a process, and keeps nobody of its line waiting (accounts/fair-turns.ts). */
  leaveTurn(): void;
  /* Aborts when the client is gone or the time is up. */
  readonly signal: AbortSignal;
  /* For cookies, headers and streams. A handler that sends by itself has to return `reply`'s own promise-free stream. */
  readonly reply: FastifyReply;
}

/* The agent that asks, at the endpoints that are for agents. */
type AgentPart<A extends Access> = A extends 'agent' ? { readonly agent: KeyHolder } : unknown;

/* An open endpoint may have no caller. */
type CallerOf<A extends Access> = A extends 'open' ? Caller | undefined : Caller;

export interface Call<E extends Endpoint> extends RequestOf<E>, RequestFacts {
  readonly caller: CallerOf<E['access']>;
}

export type Handler<E extends Endpoint> = (
  call: Call<E> & AgentPart<E['access']>,
) => Promise<AnswerOf<E>>;

export type Handlers<Group extends EndpointGroup> = {
  readonly [Name in keyof Group]: Handler<Group[Name]>;
};

/* Who causes what this call changes. */
export function askerOf(
  call: Pick<RequestFacts, 'ip' | 'traceId'> & { readonly caller: Caller },
): Asker {
  return { actor: actorOf(call.caller), ip: call.ip, traceId: call.traceId };
}

/* The entry for what this call changes; the store writes it in the same transaction. */
export function auditOf(
  call: Pick<RequestFacts, 'ip' | 'traceId'> & { readonly caller: Caller },
  action: string,
  detail?: AuditEntry['detail'],
): AuditEntry {
  return {
    action,
    ...askerOf(call),
    ...(detail === undefined ? {} : { detail }),
  };
}
