/*
 * Letting another device in, over HTTP. A browser that waits holds a cookie, a program its secret.
 */
import type { Api } from '@clawdfather/protocol/api';
import type { LoginCodeRecord } from '@clawdfather/store';
import { formatClaim, formatEndedClaim, parseClaim } from '../auth/claim-cookie.ts';
import { createClaimWaiters } from '../auth/claim-waiters.ts';
import { deviceNameOf } from '../auth/device-name.ts';
import {
  claimCode,
  createCode,
  decideCode,
  findOwnCode,
  finishClaim,
  isOver,
  type LoginCodesDeps,
} from '../auth/login-codes.ts';
import type { LiveTokens } from '../auth/live-tokens.ts';
import { readPresentedToken } from '../auth/presented-token.ts';
import { formatTime } from '../http/format-time.ts';
import type { Handlers } from '../http/handlers.ts';
import { setSessionCookie, showSignedIn, showWithoutToken } from './show-signed-in.ts';

export function createLoginCodesHandlers(
  given: Omit<LoginCodesDeps, 'waiters'>,
): Handlers<Api['loginCodes']> {
  const parts: LoginCodesDeps = { ...given, waiters: createClaimWaiters() };
  const { clock, tokens } = parts;
  const show = (record: LoginCodeRecord) => ({ login_code: showCode(record, clock.wallMs()) });
  return {
    create: async (call) => {
      const { record, code, link } = await createCode(parts, call);
      return { ...show(record), code, link };
    },
    get: async ({ caller, params }) => show(await findOwnCode(parts, caller, params.id)),
    decide: async (call) => show(await decideCode(parts, call, { ...call.params, ...call.body })),
    claim: async (call) => {
      const { device = deviceNameOf(call.userAgent), cookie } = call.body;
      const held = cookie ? parseClaim(call.header('cookie')) : undefined;
      const input = { by: call.body, device, secret: held };
      const { record, secret, account } = await claimCode(parts, call, input);
      if (cookie) call.reply.header('set-cookie', formatClaim(secret));
      const shown = {
        device,
        account: { display_name: account.displayName },
        expires_at: formatTime(record.expiresAtMs),
      };
      return cookie ? shown : { ...shown, claim: secret };
    },
    finish: async (call) => {
      const { claim, wait_ms: waitMs } = call.body;
      const secret = claim ?? parseClaim(call.header('cookie'));
      const isBrowser = claim === undefined;
      const signedInAs = isBrowser ? await accountOf(tokens, call.header('cookie')) : undefined;
      const finished = await finishClaim(parts, call, { secret, waitMs, signedInAs });
      if (finished.state === 'claimed') return { state: 'claimed', signed_in: null };
      if (finished.state !== 'used') {
        if (isBrowser) call.reply.header('set-cookie', formatEndedClaim());
        return { state: finished.state, signed_in: null };
      }
      const { signedIn } = finished;
      if (!isBrowser) return { state: 'used', signed_in: showSignedIn(signedIn) };
      // The claim's cookie stays until its end: an answer that is lost is asked for again.
      setSessionCookie(call.reply, signedIn, clock.wallMs());
      return { state: 'used', signed_in: showWithoutToken(signedIn) };
    },
  };
}

/* A token that is no good is none: this is a way in. */
async function accountOf(
  tokens: LiveTokens,
  cookie: string | undefined,
): Promise<string | undefined> {
  const tokenHash = readPresentedToken({ authorization: undefined, cookie })?.tokenHash;
  const holder = tokenHash === undefined ? undefined : await tokens.find(tokenHash);
  return holder?.accountId;
}

function showCode(record: LoginCodeRecord, nowMs: number) {
  const { id, state, claimHash, claimDevice, claimIp, expiresAtMs } = record;
  const isEnded = state === 'used' || state === 'refused';
  return {
    id,
    state: !isEnded && isOver(record, nowMs) ? ('expired' as const) : state,
    claimant:
      claimHash === undefined ? null : { device: claimDevice ?? '', ip: claimIp ?? 'unknown' },
    expires_at: formatTime(expiresAtMs),
  };
}
