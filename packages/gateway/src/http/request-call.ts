/*
 * A request as its handler sees it. There is one per request, so it is a class whose getters make a part at its first
 * use: the lifetime, for one, costs a listener on the connection.
 */
import type { Endpoint } from '@clawdfather/protocol/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Call } from './handlers.ts';

export class RequestCall implements Call<Endpoint> {
  readonly reply: FastifyReply;
  readonly #request: FastifyRequest;

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.#request = request;
    this.reply = reply;
  }

  /* These three were parsed by the endpoint's own schemas, which its handler is typed by. */
  get params(): never {
    return this.#request.params as never;
  }

  get query(): never {
    return this.#request.query as never;
  }

  get body(): never {
    return this.#request.body as never;
  }

  /* Set for every endpoint that is not open. */
  get caller() {
    return this.#request.caller;
  }

  /* Set for every endpoint that is for agents. */
  get agent() {
    return this.#request.agent;
  }

  get ip(): string {
    return this.#request.ip;
  }

  get userAgent(): string | undefined {
    return this.#request.headers['user-agent'];
  }

  get traceId(): string {
    return this.#request.trace.traceId;
  }

  get signal(): AbortSignal {
    return this.#request.lifetime.signal;
  }

  leaveTurn(): void {
    this.#request.leaveTurn?.();
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return typeof value === 'string' ? value : undefined;
  }
}
