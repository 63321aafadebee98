/*
 * Who may speak MCP over HTTP: an API token, sent as a bearer token.
 *
 * Not a cookie: a browser sends it unasked, and no page of ours speaks MCP. Not a device's token either: it is a person's, who may
 * approve; an agent that holds it could decide about itself. `read` is enough to look at runs; what starts, drives or ends
 * them needs `run`, which includes looking, as its results show output anyway.
 *
 * The challenge names no authorization server, because there is none: a person makes the tokens.
 */
import type { FastifyRequest } from 'fastify';
import type { Authenticate } from '../auth/authenticate.ts';
import { ApiError } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';

const hint =
  'make one with `clf token create --scope read,run LABEL` and send it as `Authorization: Bearer`';
const challenge = 'Bearer realm="clawdfather", scope="read run"';

export async function admitAgent(
  authenticate: Authenticate,
  { headers, ip }: FastifyRequest,
): Promise<Caller> {
  const { authorization } = headers;
  if (authorization === undefined) throw unauthorized(challenge);
  const caller = await authenticate({ authorization, cookie: undefined, ip }).catch(challenged);
  if (caller === undefined) throw unauthorized(challenge);
  if (caller.kind !== 'token') {
    throw new ApiError('forbidden', 'MCP takes an API token, not the credential of a device', {
      detail: { needs: 'token', has: caller.kind },
      hint,
    });
  }
  if (!mayLook(caller)) {
    throw new ApiError('forbidden', undefined, { detail: { needs: 'read', has: caller.scopes } });
  }
  return caller;
}

function mayLook({ scopes }: Caller): boolean {
  return scopes.includes('read') || scopes.includes('run');
}

function challenged(error: unknown): never {
  if (error instanceof ApiError && error.code === 'unauthorized') {
    throw unauthorized(`${challenge}, error="invalid_token"`, error.headers);
  }
  throw error;
}

function unauthorized(value: string, headers: Readonly<Record<string, string>> = {}): ApiError {
  return new ApiError('unauthorized', undefined, {
    hint,
    headers: { ...headers, 'www-authenticate': value },
  });
}
