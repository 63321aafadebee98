/*
 * What a sign-in answers, whichever way in it was: a token in the body, or a cookie.
 */
import type { Account } from '@clawdfather/store';
import type { FastifyReply } from 'fastify';
import { formatSessionCookie } from '../auth/session-cookie.ts';
import type { SignedIn } from '../auth/sign-in.ts';
import { formatTime } from '../http/format-time.ts';

export function setSessionCookie(
  reply: FastifyReply,
  { token, device }: SignedIn,
  nowMs: number,
): void {
  const seconds = Math.floor((device.expiresAtMsMax - nowMs) / 1000);
  reply.header('set-cookie', formatSessionCookie(token, seconds));
}

export function showSignedIn(signedIn: SignedIn) {
  return { token: signedIn.token, ...showWithoutToken(signedIn) };
}

export function showWithoutToken({ account, device }: SignedIn) {
  return { account: showAccount(account), expires_at: formatTime(device.expiresAtMs) };
}

export function showAccount(account: Account) {
  return {
    id: account.id,
    kind: account.kind,
    display_name: account.displayName,
    email: account.email ?? null,
    avatar_url: account.avatarUrl ?? null,
  };
}
