/*
 * One device lets another one in (next-login-code.ts says what may follow on what).
 *
 * Stages: 1 a signed-in device makes a code and a link, and shows them · 2 the other one claims one of them, and holds a secret from then
 * on · 3 the first one is told what wants in, and from where; a person confirms or refuses there · 4 the other one, which waits, collects
 * its token. Every stage is one change of a row, so any gateway of the database can serve the next one, and a gateway that dies in
 * between leaves a row that ends by itself.
 *
 * Codes are short, so attempts are few: ten from an address, 50 from a /48 network, and 3,000 from everywhere, in ten minutes. Of 2^40 codes that
 * is none.
 */
import { type Clock, createSignalBell } from '@clawdfather/kit';
import {
  type Account,
  type AccountQueries,
  type LoginCodeChange,
  type LoginCodeRecord,
  parseAccountId,
} from '@clawdfather/store';
import { ApiError, notFound } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';
import { clientNetworkOf, clientSiteOf } from '../http/client-network.ts';
import { auditOf, type RequestFacts } from '../http/handlers.ts';
import { rateLimited, type RateLimits } from '../http/rate-limit.ts';
import type { ClaimWaiters } from './claim-waiters.ts';
import { hashCode, newCode, parseCode } from './code-text.ts';
import { claimMs, type LoginCode, type LoginCodeEvent, nextLoginCode } from './next-login-code.ts';
import { recordRefusal, type SignedIn, type SignInDeps, signInDevice } from './sign-in.ts';
import { hashSecret, newLinkSecret } from './token-text.ts';

export interface LoginCodesDeps extends SignInDeps {
  readonly clock: Clock;
  readonly limits: RateLimits;
  readonly waiters: ClaimWaiters;
  /* Where people reach us. */
  readonly baseUrl: () => string;
}

type Asking = Pick<RequestFacts, 'ip' | 'traceId'>;
type Deciding = Asking & { readonly caller: Caller };

const attempts = { hitsMax: 10, windowMs: 10 * 60_000, lockMs: 15 * 60_000 } as const;
/* One person may have all of such a network, and thereby no more than a sixtieth of what all have. Others in it wait for no lock. */
const attemptsOfSite = { hitsMax: 50, windowMs: 10 * 60_000 } as const;
/*
 * So many that strangers need 300 addresses, or 60 networks of IPv6, to keep everybody's codes from working, and still so few that guessing a code that is open for
 * two minutes takes more than a thousand years.
 */
const attemptsOfAll = { hitsMax: 3_000, windowMs: 10 * 60_000 } as const;
/* Another gateway of the same database may have changed the row. */
const lookMs = 1_000;
/* Two gateways at once; the second look settles it. */
const triesMax = 3;

export async function createCode(deps: LoginCodesDeps, call: Deciding) {
  const { store, random, clock, baseUrl } = deps;
  const [code, link] = [newCode(random), newLinkSecret(random)];
  const record = await store.forAccount(call.caller.accountId).loginCodes.create({
    deviceId: call.caller.id,
    codeHash: await hashCode(parseCode(code) ?? ''),
    linkHash: hashSecret(link),
    expiresAtMs: clock.wallMs() + claimMs,
    audit: auditOf(call, 'login-code.create'),
  });
  // Signed out in this moment.
  if (record === undefined) throw new ApiError('unauthorized');
  return { record, code, link: `${baseUrl()}/login#clf-claim=${link}` };
}

/* Only the device that has made it: a person confirms where they see both. */
export async function findOwnCode(
  { store }: LoginCodesDeps,
  { accountId, id: deviceId }: Caller,
  id: string,
): Promise<LoginCodeRecord> {
  const record = await store.forAccount(accountId).loginCodes.get(id);
  if (record?.deviceId !== deviceId) throw notFound();
  return record;
}

export async function decideCode(
  deps: LoginCodesDeps,
  call: Deciding,
  { id, decision }: { readonly id: string; readonly decision: 'confirm' | 'refuse' },
): Promise<LoginCodeRecord> {
  const atMs = deps.clock.wallMs();
  const event = { kind: decision === 'confirm' ? 'confirmed' : 'refused', atMs } as const;
  const done = await carryOut(deps, () => findOwnCode(deps, call.caller, id), {
    event,
    audit: ({ claimDevice, claimIp }) =>
      auditOf(call, `login-code.${decision}`, { device: claimDevice, from: claimIp }),
  });
  if (done.isDone) return done.record;
  throw isOver(done.record, atMs) ? new ApiError('expired') : undecidable(done.record);
}

function undecidable({ state }: LoginCodeRecord): ApiError {
  if (state === 'open') return new ApiError('already_decided', 'nobody has claimed this code yet');
  return new ApiError('already_decided');
}

export interface ClaimInput {
  /* What was typed, or what was in the link. */
  readonly by: { readonly code: string } | { readonly link: string };
  readonly device: string;
  /* Of a browser that has claimed before. */
  readonly secret: string | undefined;
}

export interface Claimed {
  readonly record: LoginCodeRecord;
  readonly secret: string;
  /* Who it lets in as. */
  readonly account: Account;
}

export async function claimCode(
  deps: LoginCodesDeps,
  call: Asking,
  { by, device, secret: known }: ClaimInput,
): Promise<Claimed> {
  if ('code' in by) await countAttempt(deps, call);
  const find = await finderOf(deps, by);
  const isOwn = known !== undefined && (await find())?.claimHash === hashSecret(known);
  const secret = isOwn ? known : newLinkSecret(deps.random);
  const claimant = { hash: hashSecret(secret), device, ip: call.ip };
  const done = await carryOut(deps, find, {
    event: { kind: 'claimed', claimant, atMs: deps.clock.wallMs() },
    audit: () => ({
      action: 'login-code.claim',
      actor: 'code',
      ip: call.ip,
      traceId: call.traceId,
      detail: { device },
    }),
  });
  if (done.isDone) {
    const { record } = done;
    const account = await deps.store.forAccount(parseAccountId(record.accountId)).profile.get();
    if (account === undefined) throw unknownCode();
    return { record, secret, account };
  }
  await recordRefusal(deps, { provider: 'code', facts: call }, 'invalid_link');
  throw unknownCode();
}

async function finderOf(
  { store }: LoginCodesDeps,
  by: ClaimInput['by'],
): Promise<() => Promise<LoginCodeRecord | undefined>> {
  const { signIns } = store.system;
  if ('link' in by) {
    const hash = hashSecret(by.link);
    return () => signIns.findCode('link', hash);
  }
  const plain = parseCode(by.code);
  if (plain === undefined) return () => Promise.resolve(undefined);
  const hash = await hashCode(plain);
  return () => signIns.findCode('code', hash);
}

async function countAttempt(deps: LoginCodesDeps, call: Asking): Promise<void> {
  const site = clientSiteOf(call.ip);
  // The narrow ones first: what they refuse takes nothing of the wider ones.
  for (const [subject, limit] of [
    [clientNetworkOf(call.ip), attempts],
    [site, attemptsOfSite],
    ['everyone', attemptsOfAll],
  ] as const) {
    if (subject === undefined) continue;
    const standing = await deps.limits.count({ scope: 'auth.code', subject, limit });
    if (standing.isAllowed) continue;
    if (standing.isNews) {
      await recordRefusal(deps, { provider: 'code', facts: call }, 'too_many_codes');
    }
    throw rateLimited(standing);
  }
}

export type Finished =
  | { readonly state: 'claimed' | 'refused' | 'expired' }
  | { readonly state: 'used'; readonly signedIn: SignedIn };

export interface FinishInput {
  readonly secret: string | undefined;
  readonly waitMs: number;
  /* The account of a browser that is in already: nobody may put it into another one unseen. */
  readonly signedInAs?: string | undefined;
}

export async function finishClaim(
  deps: LoginCodesDeps,
  call: Asking & { readonly signal: AbortSignal },
  { secret, waitMs, signedInAs }: FinishInput,
): Promise<Finished> {
  const claimHash = secret === undefined ? '' : hashSecret(secret);
  const find = async () => {
    const found = await deps.store.system.signIns.findCode('claim', claimHash);
    const isOther =
      signedInAs !== undefined && found !== undefined && found.accountId !== signedInAs;
    if (isOther) throw new ApiError('forbidden', 'this browser is signed in to another account');
    return found;
  };
  const wait = (signal: AbortSignal) => untilDecided(deps, find, { waitMs, signal });
  // Only who holds a claim waits, so nobody else's is ended.
  const record =
    waitMs > 0 && (await find()) !== undefined
      ? await deps.waiters.wait(claimHash, call.signal, wait)
      : await wait(call.signal);
  if (record === undefined) throw unknownCode();
  if (record.state === 'refused') return { state: 'refused' };
  if (isOver(record, deps.clock.wallMs())) return { state: 'expired' };
  if (record.state !== 'confirmed' && record.state !== 'used') return { state: 'claimed' };
  return { state: 'used', signedIn: await collect(deps, call, record) };
}

async function untilDecided(
  { store, clock }: LoginCodesDeps,
  find: () => Promise<LoginCodeRecord | undefined>,
  { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
): Promise<LoginCodeRecord | undefined> {
  const untilMs = clock.monotonicMs() + waitMs;
  const bell = createSignalBell();
  let record = await find();
  if (record === undefined) return undefined;
  const stop = store.news.follow(parseAccountId(record.accountId), () => bell.ring());
  try {
    for (;;) {
      // Read after it is followed: what changed in between is seen.
      record = await find();
      const leftMs = untilMs - clock.monotonicMs();
      if (record?.state !== 'claimed' || isOver(record, clock.wallMs()) || leftMs <= 0) {
        return record;
      }
      const timer = clock.timer(Math.min(leftMs, lookMs), () => bell.ring());
      try {
        await bell.wait(signal);
      } finally {
        timer.cancel();
      }
    }
  } finally {
    stop();
  }
}

/* The device and the change of the row are one transaction: a token is made for one answer, and the next answer ends it. */
async function collect(
  deps: LoginCodesDeps,
  call: Asking,
  record: LoginCodeRecord,
): Promise<SignedIn> {
  const atMs = deps.clock.wallMs();
  const settle = async (queries: AccountQueries, deviceId: string): Promise<void> => {
    const claimHash = record.claimHash ?? '';
    const next = nextLoginCode(codeOf(record), { kind: 'collected', claimHash, deviceId, atMs });
    const devices = await queries.devices.list();
    // Who was signed out lets nobody in any more.
    const isMakerIn = devices.some(({ id }) => id === record.deviceId);
    if (next === undefined || !isMakerIn) throw new ApiError('expired');
    const { ip, traceId } = call;
    const audit = { action: 'login-code.use', actor: 'code', ip, traceId };
    const { id, version } = record;
    const isFirst = await queries.loginCodes.change({ id, version, to: columnsOf(next), audit });
    if (!isFirst) throw new ApiError('expired', 'another answer was given to the same claim');
  };
  return await signInDevice(deps, {
    accountId: parseAccountId(record.accountId),
    provider: 'code',
    device: record.claimDevice ?? '',
    facts: call,
    replaces: record.madeDeviceId,
    isOnlyReplaced: record.madeDeviceId !== undefined,
    settle,
  });
}

interface Step {
  readonly event: LoginCodeEvent;
  readonly audit: (record: LoginCodeRecord) => LoginCodeChange['audit'];
}

type Done<Found> =
  | { readonly isDone: true; readonly record: LoginCodeRecord }
  | { readonly isDone: false; readonly record: Found };

async function carryOut<Found extends LoginCodeRecord | undefined>(
  { store }: LoginCodesDeps,
  find: () => Promise<Found>,
  { event, audit }: Step,
): Promise<Done<Found>> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const record = await find();
    if (record === undefined) return { isDone: false, record };
    const code = codeOf(record);
    const next = nextLoginCode(code, event);
    if (next === undefined) return { isDone: false, record };
    if (next === code) return { isDone: true, record };
    const to = columnsOf(next);
    const { id, version, accountId } = record;
    const { loginCodes } = store.forAccount(parseAccountId(accountId));
    if (await loginCodes.change({ id, version, to, audit: audit({ ...record, ...to }) })) {
      return { isDone: true, record: { ...record, ...to } };
    }
  }
  throw new ApiError('unavailable');
}

export function isOver({ expiresAtMs }: LoginCodeRecord, nowMs: number): boolean {
  return nowMs >= expiresAtMs;
}

function codeOf(record: LoginCodeRecord): LoginCode {
  const { state, expiresAtMs, claimHash, claimDevice = '', claimIp = '', madeDeviceId } = record;
  const claimant =
    claimHash === undefined ? undefined : { hash: claimHash, device: claimDevice, ip: claimIp };
  if (state === 'refused') return { state, claimant, expiresAtMs };
  if (state === 'open' || claimant === undefined) return { state: 'open', expiresAtMs };
  if (state === 'used') return { state, claimant, deviceId: madeDeviceId ?? '', expiresAtMs };
  return { state, claimant, expiresAtMs };
}

function columnsOf(code: LoginCode): LoginCodeChange['to'] {
  const { state, expiresAtMs } = code;
  const claimant = state === 'open' ? undefined : code.claimant;
  return {
    state,
    expiresAtMs,
    ...(claimant && {
      claimHash: claimant.hash,
      claimDevice: claimant.device,
      claimIp: claimant.ip,
    }),
    ...(state === 'used' ? { madeDeviceId: code.deviceId } : {}),
  };
}

function unknownCode(): ApiError {
  return new ApiError('invalid_link', 'the code or link was used, has expired or never was');
}
