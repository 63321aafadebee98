/*
 * The first checks of every request: the name it was sent to, and the page it came from.
 *
 * A page of another origin is always refused: this API has no cross-origin use. A browser sends its cookie with every request, so
 * a change by cookie has to prove that our own page asked for it: by its Origin, or by Sec-Fetch-Site where a browser leaves
 * Origin out.
 */
import { ApiError } from './api-error.ts';
import type { AllowedNames } from './allowed-names.ts';
import type { Caller } from './caller.ts';

export interface GuardedRequest {
  readonly method: string;
  /* As it was sent. */
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export function checkNames(names: AllowedNames, { headers, url = '/' }: GuardedRequest): void {
  const host = text(headers['host']);
  // RFC 9112, 3.2.
  if (host === undefined) throw new ApiError('validation_error', 'a request has to name its host');
  if (!names.isHost(host)) throw notOurs('host_refused');
  // A whole address names its host itself, and that name counts (RFC 9112, 3.2.2).
  if (!url.startsWith('/') && !names.isHost(URL.parse(url)?.host)) {
    throw notOurs('host_refused');
  }
  const origin = text(headers['origin']);
  if (origin !== undefined && !names.isOrigin(origin)) throw notOurs('origin_refused');
}

/* Mostly this is no attack but a gateway that was never told the address that people use. */
function notOurs(code: 'host_refused' | 'origin_refused'): ApiError {
  const hint = 'if this is the address that people use, the gateway has to know it: --public-url';
  return new ApiError(code, undefined, { hint });
}

/* Bodies are read as they are sent; one that is packed would be told that it is bad JSON. */
export function checkEncoding({ headers }: GuardedRequest): void {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') return;
  throw new ApiError('unsupported_media_type', 'bodies are sent without a content encoding');
}

export function checkCookieUse({ method, headers }: GuardedRequest, caller: Caller): void {
  if (caller.cameBy === 'bearer' || method === 'GET' || method === 'HEAD') return;
  // `checkNames` has seen the Origin; here it only has to be there.
  if (headers['origin'] !== undefined || headers['sec-fetch-site'] === 'same-origin') return;
  throw new ApiError('origin_refused', 'a change with a cookie has to come from our own page');
}

function text(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.join(',');
}
