/*
 * What a client signs to log in with a key (RFC 4252, section 7, and PROTOCOL of OpenSSH for the hostbound method): the id of the
 * session, and the whole request.
 */
import { createWireReader } from '../wire.ts';

export interface UserauthRequest {
  readonly sessionId: Buffer;
  readonly user: string;
  readonly service: string;
  readonly method: string;
  readonly algorithm: string;
  readonly keyBlob: Buffer;
  /* Only the hostbound method names it. */
  readonly hostKey: Buffer | undefined;
}

export const plainMethod = 'publickey';
export const hostboundMethod = 'publickey-hostbound-v00@openssh.com';
const messageNumber = 50;

/* `undefined`: the data is something else, and signing it would prove something else. */
export function parseUserauthRequest(data: Buffer): UserauthRequest | undefined {
  const reader = createWireReader(data);
  const sessionId = reader.string();
  const number = reader.byte();
  // User names of ours are ASCII.
  const [user, service, method] = [reader.name(), reader.name(), reader.name()];
  const isSigned = reader.boolean();
  const algorithm = reader.name();
  const keyBlob = reader.string();
  const hostKey = method === hostboundMethod ? reader.string() : undefined;
  if (!reader.isWhole() || number !== messageNumber || !isSigned) return undefined;
  return { sessionId, user, service, method, algorithm, keyBlob, hostKey };
}
