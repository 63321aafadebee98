/*
 * The messages of the ssh-agent protocol that a signer understands (draft-ietf-sshm-ssh-agent, and PROTOCOL.agent of OpenSSH for
 * session-bind). Everything else, keys to add and requests to lock among it, is `unknown` and gets a failure.
 */
import { createWireReader, formatString, formatUint32 } from '../wire.ts';

/* What the client proves about the connection on which it will use the signature. */
export interface SessionBind {
  readonly hostKey: Buffer;
  readonly sessionId: Buffer;
  /* The host's, over the session id. */
  readonly signature: Buffer;
  readonly isForwarding: boolean;
}

export interface SignRequest {
  readonly keyBlob: Buffer;
  readonly data: Buffer;
  readonly flags: number;
}

export type AgentRequest =
  | { readonly kind: 'identities' }
  | { readonly kind: 'bind'; readonly bind: SessionBind }
  | { readonly kind: 'sign'; readonly sign: SignRequest }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'unknown' };

const requestIdentities = 11;
const identitiesAnswer = 12;
const signRequest = 13;
const signResponse = 14;
const extension = 27;
const bindName = 'session-bind@openssh.com';

export const failureMessage: Buffer = Buffer.from([5]);
export const successMessage: Buffer = Buffer.from([6]);

export function parseAgentRequest(message: Buffer): AgentRequest {
  const body = message.subarray(1);
  switch (message[0]) {
    case requestIdentities:
      return body.length === 0 ? { kind: 'identities' } : { kind: 'malformed' };
    case signRequest:
      return parseSign(body);
    case extension:
      return parseExtension(body);
    default:
      return { kind: 'unknown' };
  }
}

function parseSign(body: Buffer): AgentRequest {
  const reader = createWireReader(body);
  const sign = { keyBlob: reader.string(), data: reader.string(), flags: reader.uint32() };
  return reader.isWhole() ? { kind: 'sign', sign } : { kind: 'malformed' };
}

function parseExtension(body: Buffer): AgentRequest {
  const reader = createWireReader(body);
  if (reader.name() !== bindName) return { kind: 'unknown' };
  const bind = {
    hostKey: reader.string(),
    sessionId: reader.string(),
    signature: reader.string(),
    isForwarding: reader.boolean(),
  };
  return reader.isWhole() ? { kind: 'bind', bind } : { kind: 'malformed' };
}

export interface Identity {
  readonly blob: Buffer;
  readonly comment: string;
}

export function formatIdentities(identities: readonly Identity[]): Buffer {
  return Buffer.concat([
    Buffer.from([identitiesAnswer]),
    formatUint32(identities.length),
    ...identities.flatMap(({ blob, comment }) => [formatString(blob), formatString(comment)]),
  ]);
}

export function formatSignature(algorithm: string, signature: Buffer): Buffer {
  const blob = Buffer.concat([formatString(algorithm), formatString(signature)]);
  return Buffer.concat([Buffer.from([signResponse]), formatString(blob)]);
}
