/*
 * One call: from an endpoint and its parts to a request, and from the answer to a value or an error.
 */
import { CodedError } from '@clawdfather/kit';
import { forRunHeader } from '@clawdfather/protocol';
import {
  type AnswerOf,
  apiErrorSchema,
  type Endpoint,
  gatewayHeader,
  parseGatewayHeader,
} from '@clawdfather/protocol/api';
import { type CallLimit, limitMsOf, startPatience } from './call-limit.ts';
import { type Refusal, RefusedError, SdkError } from './errors.ts';
import type { GatewayWatch } from './gateway-watch.ts';
import { readStream } from './read-stream.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Connection {
  /* Such as `http://127.0.0.1:8420`. */
  readonly baseUrl: string;
  /* Absent in the web app, which has a cookie. */
  readonly token?: string;
  readonly fetch: Fetch;
  /* Is told who answered, each time. */
  readonly gateway?: Pick<GatewayWatch, 'note'>;
  /* Of calls that are no streams. Absent: none. */
  readonly callLimit?: CallLimit;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /* A resend with the same key has no second effect. */
  readonly idempotencyKey?: string;
  readonly traceparent?: string;
  /* The run that asks, where a run of this machine does: the gateway joins their traces. */
  readonly forRun?: string | undefined;
  /* In a page: it is sent also when the page goes away. */
  readonly keepalive?: boolean;
}

/* What an address can hold. */
type AddressPart = string | number | boolean;

export interface CallParts {
  readonly params?: Readonly<Record<string, AddressPart>>;
  readonly query?: Readonly<Record<string, AddressPart | undefined>>;
  readonly body?: unknown;
}

export async function callEndpoint<E extends Endpoint>(
  connection: Connection,
  endpoint: E,
  { options = {}, ...parts }: CallParts & { readonly options?: CallOptions },
): Promise<AnswerOf<E>> {
  const { response, json } = await exchange(connection, endpoint, { ...parts, options });
  if (!response.ok) throw refusalOf(response, json);
  // Whether there is an answer is in the endpoint, which the type says too.
  if (endpoint.answer === undefined) return undefined as AnswerOf<E>;
  const parsed = endpoint.answer.safeParse(json);
  if (!parsed.success) {
    throw new SdkError('answer-invalid', `the answer to ${endpoint.path} is not as documented`, {
      cause: parsed.error,
      hint: 'are the gateway and this client of versions that go together?',
    });
  }
  return parsed.data as AnswerOf<E>;
}

/* Request and whole answer, within the time that such a call has. */
async function exchange(
  connection: Connection,
  endpoint: Endpoint,
  { options, ...parts }: CallParts & { readonly options: CallOptions },
): Promise<{ readonly response: Response; readonly json: unknown }> {
  const { callLimit, baseUrl } = connection;
  const ms = callLimit && limitMsOf(callLimit, endpoint, parts);
  const limit = callLimit && ms !== undefined ? { ...callLimit, ms } : undefined;
  const patience = startPatience(limit, options.signal);
  const { signal } = patience;
  try {
    const response = await sendRequest(connection, endpoint, {
      ...parts,
      options: { ...options, ...(signal === undefined ? {} : { signal }) },
    });
    patience.heard();
    return { response, json: await readJson(response, patience.heard) };
  } catch (error) {
    if (patience.isOver && !options.signal?.aborted) throw unreachable(baseUrl, error);
    throw error;
  } finally {
    patience.stop();
  }
}

/* The response as it comes, for streams. Refusals are thrown by whoever reads it: `throwIfRefused`. */
export async function sendRequest(
  connection: Connection,
  endpoint: Endpoint,
  request: RequestParts,
): Promise<Response> {
  const response = await fetchEndpoint(connection, endpoint, request);
  const answering = parseGatewayHeader(response.headers.get(gatewayHeader));
  if (answering !== undefined) connection.gateway?.note(answering);
  return response;
}

interface RequestParts extends CallParts {
  readonly options?: CallOptions;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function isBytes(body: unknown): body is Uint8Array<ArrayBuffer> {
  return body instanceof Uint8Array;
}

function typeOf(body: unknown): string {
  return isBytes(body) ? 'application/octet-stream' : 'application/json';
}

async function fetchEndpoint(
  { baseUrl, token, fetch }: Connection,
  { method, path }: Endpoint,
  { params, query, body, options = {}, accept, headers }: RequestParts,
): Promise<Response> {
  const { signal, idempotencyKey, traceparent, forRun, keepalive } = options;
  const address = addressOf(new URL(fillPath(path, params), baseUrl), query);
  try {
    return await fetch(address, {
      method,
      headers: {
        ...headers,
        ...(accept === undefined ? {} : { accept }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': typeOf(body) }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        ...(traceparent === undefined ? {} : { traceparent }),
        ...(forRun === undefined ? {} : { [forRunHeader]: forRun }),
      },
      ...(body === undefined ? {} : { body: isBytes(body) ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
      ...(keepalive === undefined ? {} : { keepalive }),
      redirect: 'error',
    });
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    // A `fetch` that was given may refuse to send; it would do so again.
    if (error instanceof CodedError) throw error;
    if (isRedirect(error)) throw redirected(baseUrl);
    throw unreachable(baseUrl, error);
  }
}

function addressOf(url: URL, query: CallParts['query'] = {}): string {
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    // Numbers and booleans are written as in JSON.
    url.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return url.href;
}

export async function throwIfRefused(response: Response): Promise<void> {
  if (!response.ok) throw refusalOf(response, await readJson(response));
}

export function unreachable(baseUrl: string, cause: unknown): SdkError {
  return new SdkError('gateway-unreachable', `no answer from ${new URL(baseUrl).host}`, {
    cause,
    detail: { baseUrl },
    hint: 'Is the gateway running, and the network up?',
  });
}

/* It would be the same at the next attempt, and our token is sent nowhere else. */
function redirected(baseUrl: string): SdkError {
  return new SdkError('answer-invalid', `${new URL(baseUrl).host} sends its callers elsewhere`, {
    detail: { baseUrl },
    hint: 'Use the address of the gateway itself',
  });
}

function isRedirect(error: unknown): boolean {
  return (
    error instanceof Error && error.cause instanceof Error && /redirect/.test(error.cause.message)
  );
}

function fillPath(path: string, params: Readonly<Record<string, AddressPart>> = {}): string {
  return path.replaceAll(/:([a-z_]+)/g, (_match, name: string) =>
    encodeURIComponent(String(params[name])),
  );
}

/* Many times the largest answer that a gateway gives: a page of output has 1 MiB. */
const answerCharactersMax = 64 * 1024 * 1024;

async function readJson(response: Response, heard = (): void => {}): Promise<unknown> {
  const text = await readText(response, heard);
  try {
    return JSON.parse(text);
  } catch {
    /* Empty (204), or a page of something in between: what matters then is the status. */
    return undefined;
  }
}

async function readText({ body }: Response, heard: () => void): Promise<string> {
  if (body === null) return '';
  let text = '';
  for await (const piece of readStream(body.pipeThrough(new TextDecoderStream()))) {
    heard();
    text += piece;
    if (text.length > answerCharactersMax) {
      throw new SdkError('answer-invalid', 'the answer is larger than any that a gateway gives');
    }
  }
  return text;
}

function refusalOf(response: Response, json: unknown): RefusedError {
  const parsed = apiErrorSchema.safeParse(json);
  const error = parsed.success
    ? parsed.data.error
    : { code: 'unknown', message: `answered ${response.status}`, detail: {}, hint: undefined };
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const refusal: Refusal = {
    code: error.code,
    status: response.status,
    traceId: response.headers.get('x-trace-id') ?? undefined,
    retryAfterMs: Number.isFinite(retryAfter) ? retryAfter * 1000 : undefined,
  };
  const { message, detail, hint } = error;
  return new RefusedError(message, { refusal, detail, ...(hint === undefined ? {} : { hint }) });
}
