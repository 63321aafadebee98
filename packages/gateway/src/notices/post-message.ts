/*
 * One message to one server: bounded in time and size, and nowhere else.
 *
 * The address is the operator's, from the settings file, or that of a push service that we know (channels/push/push-services.ts). A redirect is
 * refused: it would lead to an address that nobody has set. Of the answer only its status counts. Its body is not read.
 */
import type { Clock } from '@clawdfather/kit';
import type { SendOutcome } from './channel.ts';

export interface PostDeps {
  readonly clock: Clock;
  /* Replaced in tests. */
  readonly fetch?: typeof globalThis.fetch;
}

export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/* A server that takes longer is as good as none; the next attempt comes. */
export const sendMs = 10_000;
/* A server may ask for patience, within reason. */
const patienceMsMax = 3_600_000;

export async function postMessage(
  { clock, fetch = globalThis.fetch }: PostDeps,
  { url, headers, body }: PostRequest,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const late = new AbortController();
  const timer = clock.timer(sendMs, () => late.abort(new Error('late')));
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'clawdfather', ...headers },
      body: typeof body === 'string' ? body : new Uint8Array(body),
      redirect: 'manual',
      signal: AbortSignal.any([signal, late.signal]),
    });
    // However long it is: the connection is given up.
    await response.body?.cancel().catch(ignoreBroken);
    return judge(response);
  } catch (error) {
    signal.throwIfAborted();
    return { outcome: 'again', reason: late.signal.aborted ? 'timeout' : reasonOf(error) };
  } finally {
    timer.cancel();
  }
}

function judge({ status, headers }: Response): SendOutcome {
  if (status >= 200 && status < 300) return { outcome: 'sent' };
  const reason = `status ${status}`;
  if (status >= 300 && status < 400) return { outcome: 'refused', reason: 'redirect' };
  const isPassing = status >= 500 || status === 408 || status === 425 || status === 429;
  if (!isPassing) return { outcome: 'refused', reason, status };
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const afterMs = seconds > 0 ? Math.min(seconds * 1_000, patienceMsMax) : undefined;
  return { outcome: 'again', reason, afterMs };
}

/* A code, such as ECONNREFUSED; never an address or what a server wrote. */
function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : 'unreachable';
}

function ignoreBroken(): void {
  /* Its status has come, and nothing else of it matters. */
}
