/*
 * A push service on the loopback, with the browsers behind it. It takes what real ones take and refuses what they refuse: the token has to name
 * this service, to end within a day, to say who sends, and to be signed by the key that the browser subscribed with (RFC 8292). What it takes
 * it opens with the browser's key (RFC 8291), by a library that is not ours.
 */
import { createECDH, createPublicKey, type ECDH, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decrypt } from 'http_ece';

/* As `toJSON` of a browser's subscription gives it. */
export interface BrowserSubscription {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

export interface TakenPush {
  readonly endpoint: string;
  readonly headers: IncomingHttpHeaders;
  readonly claims: { readonly aud: string; readonly exp: number; readonly sub: string };
  /* As the browser gets it. */
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- a wrong path fails where it is used
  readonly payload: any;
  /* As it went over the wire. */
  readonly body: Buffer;
}

export interface PushService extends AsyncDisposable {
  /* For the gateway's setting `notify.push.services`. */
  readonly origin: string;
  /* A new browser; `publicKey` is the gateway's. */
  subscribe(publicKey: string): BrowserSubscription;
  /* What was taken, in order. */
  readonly taken: readonly TakenPush[];
  /* Why something was refused, in order. */
  readonly refused: readonly string[];
  /* From now on: before anything is looked at. Return true when it was answered. */
  answerWith(answer: (response: ServerResponse, endpoint: string) => boolean): void;
  /* Resolves when so many were taken; rejects when one was refused. */
  untilTaken(count: number): Promise<void>;
  /* Resolves when so many requests have come, of any kind. */
  untilAsked(count: number): Promise<void>;
}

interface Browser {
  readonly pair: ECDH;
  readonly auth: Buffer;
  readonly publicKey: string;
}

const daySeconds = 86_400;
const bodyBytesMax = 4_096;

export async function openPushService(): Promise<PushService> {
  const browsers = new Map<string, Browser>();
  const taken: TakenPush[] = [];
  const refused: string[] = [];
  const waiting = new Set<() => void>();
  let asked = 0;
  let answer: (response: ServerResponse, endpoint: string) => boolean = () => false;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      asked += 1;
      const endpoint = `${origin}${request.url}`;
      if (!answer(response, endpoint)) {
        const { headers, method = '' } = request;
        const body = Buffer.concat(chunks);
        const outcome = take({ origin, method, endpoint, headers, body }, browsers.get(endpoint));
        if (typeof outcome === 'string') refused.push(outcome);
        else taken.push(outcome);
        response.statusCode = typeof outcome === 'string' ? 403 : 201;
        response.end();
      }
      for (const wake of waiting) wake();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const until = (isSo: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const [why] = refused;
        if (why === undefined && !isSo()) return;
        waiting.delete(look);
        // What was refused does not come again.
        if (why === undefined) resolve();
        else reject(new Error(`a push was refused: ${why}`));
      };
      waiting.add(look);
      look();
    });
  return {
    origin,
    taken,
    refused,
    subscribe: (publicKey) => {
      const pair = createECDH('prime256v1');
      const p256dh = pair.generateKeys().toString('base64url');
      const auth = randomBytes(16);
      const endpoint = `${origin}/push/${randomBytes(16).toString('base64url')}`;
      browsers.set(endpoint, { pair, auth, publicKey });
      return { endpoint, keys: { p256dh, auth: auth.toString('base64url') } };
    },
    answerWith: (next) => {
      answer = next;
    },
    untilTaken: (count) => until(() => taken.length >= count),
    untilAsked: (count) => until(() => asked >= count),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface Posted {
  readonly origin: string;
  readonly method: string;
  readonly endpoint: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/* A text: why it is refused. */
function take(posted: Posted, browser: Browser | undefined): TakenPush | string {
  const { headers, body, endpoint } = posted;
  if (browser === undefined) return 'no such browser';
  const claims = check(posted, browser.publicKey);
  if (typeof claims === 'string') return claims;
  const text = decrypt(body, {
    version: 'aes128gcm',
    privateKey: browser.pair,
    authSecret: browser.auth,
  }).toString();
  return { endpoint, headers, claims, text, payload: JSON.parse(text), body };
}

/* Why a push service does not take it; undefined: it does. `publicKey` is the one that the browser has subscribed with. */
export function refusalOf(posted: Posted, publicKey: string): string | undefined {
  const claims = check(posted, publicKey);
  return typeof claims === 'string' ? claims : undefined;
}

function check(posted: Posted, publicKey: string): TakenPush['claims'] | string {
  const { headers, body, method } = posted;
  if (method !== 'POST') return 'no POST';
  if (!/^\d+$/.test(headers['ttl']?.toString() ?? '')) return 'no TTL';
  if (headers['content-encoding'] !== 'aes128gcm') return 'another encoding';
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(headers['topic']?.toString() ?? 'x')) return 'no topic';
  if (body.length > bodyBytesMax) return 'too large';
  return readToken(posted, publicKey);
}

function readToken({ headers, origin }: Posted, publicKey: string): TakenPush['claims'] | string {
  const found = /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(
    headers.authorization ?? '',
  );
  if (found === null) return 'no token';
  const [, head = '', middle = '', signature = '', key = ''] = found;
  // Base64url says the same in more than one way; the bytes count.
  if (!Buffer.from(key, 'base64url').equals(Buffer.from(publicKey, 'base64url'))) {
    return 'another key than the browser subscribed with';
  }
  const header = JSON.parse(Buffer.from(head, 'base64url').toString());
  if (header.alg !== 'ES256') return 'another algorithm';
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${middle}`),
    { key: publicKeyOf(key), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned) return 'a wrong signature';
  const claims = JSON.parse(Buffer.from(middle, 'base64url').toString());
  if (claims.aud !== origin) return 'for another service';
  const leftSeconds = claims.exp - Date.now() / 1_000;
  if (!(leftSeconds > 0 && leftSeconds <= daySeconds)) return 'it ends too late, or has ended';
  if (!/^(mailto:.+@.+|https:\/\/.+)$/.test(claims.sub ?? '')) return 'no contact';
  return claims;
}

function publicKeyOf(point: string) {
  const bytes = Buffer.from(point, 'base64url');
  const half = (from: number): string => bytes.subarray(from, from + 32).toString('base64url');
  const key = { kty: 'EC', crv: 'P-256', x: half(1), y: half(33) };
  return createPublicKey({ key, format: 'jwk' });
}
