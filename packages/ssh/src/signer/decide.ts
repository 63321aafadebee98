/*
 * Whether a signer binds and whether it signs: pure decisions over parsed messages.
 *
 * The key of an account opens every host on which it is installed, so the signature has to be of no use but for one login:
 * SG1 The host proved to be the pinned one: it signed the id of this very connection. A tampered known_hosts, or a name that leads
 *    elsewhere, cannot get a signature.
 * SG2 The first session that is bound is the only one. What was recorded from another connection to the same host is refused.
 * SG3 What is signed is a login request of that session, for our user and the key that was asked for, and nothing else. So a signature cannot
 *    be carried to another host, user or protocol.
 * SG4 A forwarded agent gets none: then the one who asks is on the other end of the wire.
 */
import type { SessionBind, SignRequest } from './agent-messages.ts';
import { verifyHostSignature } from './host-key.ts';
import {
  hostboundMethod,
  parseUserauthRequest,
  plainMethod,
  type UserauthRequest,
} from './userauth-request.ts';

export const refusals = [
  'bound-twice',
  'data-unknown',
  'flags-unknown',
  'forwarding',
  'host-key-differs',
  'host-key-not-pinned',
  'host-signature-bad',
  'key-differs',
  'key-gone',
  'key-unreadable',
  'malformed',
  'message-too-long',
  'method-unknown',
  'not-bound',
  'request-unknown',
  'service-differs',
  'session-differs',
  'too-many-connections',
  'too-many-messages',
  'too-many-signatures',
  'user-differs',
] as const;

export type Refusal = (typeof refusals)[number];

/* What the signer is for. */
export interface SignerPurpose {
  /* Public halves. */
  readonly keyBlobs: readonly Buffer[];
  readonly pinnedHostKeys: readonly Buffer[];
  readonly username: string;
}

export interface BoundSession {
  readonly hostKey: Buffer;
  readonly sessionId: Buffer;
}

export interface BindState {
  /* Of the agent connection on which it is asked. */
  readonly bound: BoundSession | undefined;
  /* Of the signer: the first that was bound on any connection. */
  readonly session: BoundSession | undefined;
}

/* The lengths of the hashes from which OpenSSH makes an id: SHA-1 to SHA-512. */
const sessionIdBytes = { min: 20, max: 64 };
const algorithmOfOurs = 'ssh-ed25519';
const serviceOfOurs = 'ssh-connection';

/* `undefined`: it may be bound. */
export function decideBind(
  bind: SessionBind,
  { bound, session }: BindState,
  { pinnedHostKeys }: Pick<SignerPurpose, 'pinnedHostKeys'>,
): Refusal | undefined {
  const { hostKey, sessionId, signature, isForwarding } = bind;
  if (isForwarding) return 'forwarding';
  if (bound !== undefined) return 'bound-twice';
  if (sessionId.length < sessionIdBytes.min || sessionId.length > sessionIdBytes.max)
    return 'malformed';
  if (!pinnedHostKeys.some((pin) => pin.equals(hostKey))) return 'host-key-not-pinned';
  if (!verifyHostSignature({ hostKey, data: sessionId, signature })) return 'host-signature-bad';
  if (session !== undefined && !session.sessionId.equals(sessionId)) return 'session-differs';
  return undefined;
}

/* `undefined`: it may be signed. */
export function decideSign(
  { keyBlob, data, flags }: SignRequest,
  bound: BoundSession | undefined,
  purpose: SignerPurpose,
): Refusal | undefined {
  if (bound === undefined) return 'not-bound';
  // Flags choose a hash for rsa; our keys are ed25519.
  if (flags !== 0) return 'flags-unknown';
  if (!purpose.keyBlobs.some((ours) => ours.equals(keyBlob))) return 'key-differs';
  const request = parseUserauthRequest(data);
  if (request === undefined) return 'data-unknown';
  return decideRequest(request, bound, { keyBlob, username: purpose.username });
}

function decideRequest(
  request: UserauthRequest,
  bound: BoundSession,
  { keyBlob, username }: { readonly keyBlob: Buffer; readonly username: string },
): Refusal | undefined {
  if (!request.sessionId.equals(bound.sessionId)) return 'session-differs';
  if (request.user !== username) return 'user-differs';
  if (request.service !== serviceOfOurs) return 'service-differs';
  if (request.algorithm !== algorithmOfOurs || !request.keyBlob.equals(keyBlob))
    return 'key-differs';
  switch (request.method) {
    case plainMethod:
      return undefined;
    case hostboundMethod:
      return request.hostKey?.equals(bound.hostKey) === true ? undefined : 'host-key-differs';
    default:
      return 'method-unknown';
  }
}
