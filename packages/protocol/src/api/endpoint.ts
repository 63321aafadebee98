/*
 * One endpoint of the HTTP API as data: where it is, who may call it, what goes in, what comes back.
 *
 * The gateway validates with this value, the OpenAPI document and the client's types are made from it, and the two-account test
 * walks it. So they always agree.
 */
import type { z } from 'zod';
import type { ApiErrorCode } from './api-errors.ts';

/* What a token may be given, from the least to the most. */
export const scopes = ['read', 'run', 'approve', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/*
 * `open`: no sign-in is needed. `person`: a signed-in device, never a token that may have been handed to an agent. `agent`: the key of
 * one agent's run, which is good for nothing else. Otherwise
 * the scope that a token needs; a device has all of them.
 */
export type Access = 'open' | 'person' | 'agent' | Scope;

/* Settings of a gateway that hold the number of a limit. */
export type LimitSetting =
  | 'sessionStartsPerHour'
  | 'hostChangesPerHour'
  | 'hostProbesPerHour'
  | 'hostTestsPerMinute';

export interface EndpointLimit {
  /* With a setting: the usual number. */
  readonly hitsMax: number;
  readonly windowMs: number;
  readonly per: 'ip' | 'account' | 'connection';
  readonly setting?: LimitSetting;
  /* A caller beyond the limit waits this long, instead of until the window's end. */
  readonly lockMs?: number;
}

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /* With `:name` for parameters. */
  readonly path: `/${string}`;
  readonly summary: string;
  readonly access: Access;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /* The body is no JSON but bytes (application/octet-stream), at most so many. */
  readonly bytesMax?: number;
  /* Absent where nothing comes back (204) or the answer is a stream. */
  readonly answer?: z.ZodType;
  /* Of a good answer. Default 200, or 204 without an answer. */
  readonly status?: 200 | 201 | 202 | 204;
  /* Beside those that every endpoint can give. */
  readonly errors?: readonly ApiErrorCode[];
  readonly limit?: EndpointLimit;
  /* May take longer than the 30 s that everything else has: a stream or a long poll. Absent or true. */
  readonly takesLong?: true;
  /* May need all of those 30 s: another machine or a program has its say before the answer. Absent or true. */
  readonly needsTime?: true;
  /* A resend with the same `Idempotency-Key` gets the same answer, for 24 h. */
  readonly isIdempotent?: true;
}

export type EndpointGroup = Readonly<Record<string, Endpoint>>;

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type Input<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;

/* What a handler is given: parsed, with defaults filled in. */
export interface RequestOf<E extends Endpoint> {
  readonly params: Output<E['params']>;
  readonly query: Output<E['query']>;
  readonly body: Output<E['body']>;
}

type PartOf<
  E extends Endpoint,
  Part extends 'params' | 'query' | 'body',
> = E[Part] extends z.ZodType
  ? Partial<Input<E[Part]>> extends Input<E[Part]>
    ? { readonly [Name in Part]?: Input<E[Part]> }
    : { readonly [Name in Part]: Input<E[Part]> }
  : unknown;

/* What a client has to pass: only the parts that the endpoint has; parts that may be empty may be left out. */
export type CallOf<E extends Endpoint> = PartOf<E, 'params'> &
  PartOf<E, 'query'> &
  PartOf<E, 'body'>;

/* What a handler returns, and what a client gets after the JSON has been parsed. */
export type AnswerOf<E extends Endpoint> = E['answer'] extends z.ZodType
  ? z.input<E['answer']>
  : undefined;

/* Keeps the literal types, which the client and the handlers are typed by. */
export function endpoints<const Group extends EndpointGroup>(group: Group): Group {
  return group;
}
