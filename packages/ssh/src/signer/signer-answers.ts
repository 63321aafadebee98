/*
 * What a signer answers: the messages of all its connections, decided by decide.ts, and what is remembered of them.
 *
 * AG1 The private key is opened for each signature, after everything else was checked, and overwritten behind it. It goes to no
 *    other process and to no disk. A key that was revoked meanwhile signs nothing.
 * AG3 Everything is bounded. What is refused is remembered by reason, since ssh's own texts do not tell one refusal from another.
 */
import { sign } from 'node:crypto';
import { type Log, silentLog } from '@clawdfather/kit';
import { parsePrivateFile } from '../keys/private-file.ts';
import {
  failureMessage,
  formatIdentities,
  formatSignature,
  type Identity,
  parseAgentRequest,
  type SessionBind,
  type SignRequest,
  successMessage,
} from './agent-messages.ts';
import {
  type BoundSession,
  decideBind,
  decideSign,
  type Refusal,
  type SignerPurpose,
} from './decide.ts';

/* What the signer knows about the login, for the cause of its end. */
export interface SignerEvidence {
  readonly identitiesAsked: boolean;
  readonly bound: boolean;
  readonly signRequests: number;
  readonly signed: number;
  /* The key that signed last. If the login succeeded, it is the one that the host has. */
  readonly signedWith: string | undefined;
  /* In order. */
  readonly refusals: readonly Refusal[];
}

export interface HeldKey extends Identity {
  readonly id: string;
  /* The private file, in clear. Overwritten here. `undefined`: there is no such key any more. */
  readonly open: () => Promise<Buffer | undefined>;
}

export interface AnswersDeps {
  /* In the order in which they are offered. */
  readonly keys: readonly HeldKey[];
  readonly purpose: SignerPurpose;
  readonly log?: Log | undefined;
}

export interface SignerAnswers {
  mayConnect(): boolean;
  /* The answers of one connection. */
  connect(): (message: Buffer) => Promise<Buffer>;
  refuse(reason: Refusal): void;
  evidence(): SignerEvidence;
}

/* ssh opens one. */
export const connectionsMax = 8;
/* A second is asked for by a server that wants two logins with a key. */
export const signaturesMax = 2;
/* Later ones say nothing new. */
const refusalsKeptMax = 32;

export function createSignerAnswers(deps: AnswersDeps): SignerAnswers {
  const memory = createMemory(deps.log ?? silentLog);
  return {
    mayConnect: () => {
      memory.connections += 1;
      if (memory.connections > connectionsMax) memory.refuse('too-many-connections');
      return memory.connections <= connectionsMax;
    },
    connect: () => {
      let bound: BoundSession | undefined;
      return async (message) => {
        const request = parseAgentRequest(message);
        switch (request.kind) {
          case 'identities':
            memory.identitiesAsked = true;
            return formatIdentities(deps.keys);
          case 'bind': {
            const outcome = bindSession(deps, memory, { asked: request.bind, bound });
            if (typeof outcome === 'string') return memory.refuse(outcome);
            bound = outcome;
            return successMessage;
          }
          case 'sign':
            return signData(deps, memory, { request: request.sign, bound });
          case 'malformed':
            return memory.refuse('malformed');
          case 'unknown':
            return memory.refuse('request-unknown');
        }
      };
    },
    refuse: (reason) => memory.refuse(reason),
    evidence: () => memory.evidence(),
  };
}

/* Of all connections together. */
interface Memory {
  connections: number;
  identitiesAsked: boolean;
  session: BoundSession | undefined;
  signRequests: number;
  signaturesBegun: number;
  signed: number;
  signedWith: string | undefined;
  /* The answer that says no. */
  refuse(reason: Refusal): Buffer;
  evidence(): SignerEvidence;
}

function createMemory(log: Log): Memory {
  const refusals: Refusal[] = [];
  const memory: Memory = {
    connections: 0,
    identitiesAsked: false,
    session: undefined,
    signRequests: 0,
    signaturesBegun: 0,
    signed: 0,
    signedWith: undefined,
    refuse: (reason) => {
      if (refusals.length < refusalsKeptMax) refusals.push(reason);
      log.warn('signer.refused', { reason });
      return failureMessage;
    },
    evidence: () => ({
      identitiesAsked: memory.identitiesAsked,
      bound: memory.session !== undefined,
      signRequests: memory.signRequests,
      signed: memory.signed,
      signedWith: memory.signedWith,
      refusals: [...refusals],
    }),
  };
  return memory;
}

function bindSession(
  { purpose }: AnswersDeps,
  memory: Memory,
  { asked, bound }: { readonly asked: SessionBind; readonly bound: BoundSession | undefined },
): BoundSession | Refusal {
  const refusal = decideBind(asked, { bound, session: memory.session }, purpose);
  if (refusal !== undefined) return refusal;
  // Copies: what was parsed is a view of the message.
  const copy = { hostKey: Buffer.from(asked.hostKey), sessionId: Buffer.from(asked.sessionId) };
  return (memory.session ??= copy);
}

async function signData(
  deps: AnswersDeps,
  memory: Memory,
  { request, bound }: { readonly request: SignRequest; readonly bound: BoundSession | undefined },
): Promise<Buffer> {
  memory.signRequests += 1;
  const refusal = decideSign(request, bound, deps.purpose);
  if (refusal !== undefined) return memory.refuse(refusal);
  // Counted before the key is opened, so that connections cannot pass together.
  if (memory.signaturesBegun >= signaturesMax) return memory.refuse('too-many-signatures');
  memory.signaturesBegun += 1;
  const key = deps.keys.find(({ blob }) => blob.equals(request.keyBlob));
  const outcome = key === undefined ? 'key-gone' : await signOnce(deps, key, request.data);
  if (typeof outcome === 'string') return memory.refuse(outcome);
  memory.signed += 1;
  memory.signedWith = key?.id;
  return formatSignature('ssh-ed25519', outcome);
}

/* AG1. */
async function signOnce(
  { log = silentLog }: AnswersDeps,
  { open, blob }: HeldKey,
  data: Buffer,
): Promise<Buffer | Refusal> {
  let file: Buffer | undefined;
  try {
    file = await open();
    if (file === undefined) return 'key-gone';
    const parsed = parsePrivateFile(file);
    if (parsed?.publicBlob.equals(blob) !== true) return 'key-unreadable';
    return sign(null, data, parsed.key);
  } catch (error) {
    // No database, no master key: the login fails, and the log has the reason.
    log.error('signer.key-failed', { error });
    return 'key-unreadable';
  } finally {
    file?.fill(0);
  }
}
