/*
 * The messages of a login as ssh sends them to its agent, with every field to be changed.
 */
import { formatString, formatUint32 } from '../../src/wire.ts';
import { join, type TestHost } from './host-signer.ts';

export interface BindFields {
  readonly host: TestHost;
  readonly sessionId: Buffer;
  readonly signature?: Buffer;
  readonly forwarding?: number;
}

export function bindMessage({ host, sessionId, signature, forwarding = 0 }: BindFields): Buffer {
  const fields = [host.blob, sessionId, signature ?? host.sign(sessionId)];
  return Buffer.concat([
    Buffer.from([27]),
    join('session-bind@openssh.com', ...fields),
    Buffer.from([forwarding]),
  ]);
}

export interface LoginFields {
  readonly sessionId: Buffer;
  readonly keyBlob: Buffer;
  readonly user?: string;
  readonly service?: string;
  readonly method?: string;
  readonly algorithm?: string;
  readonly hostKey?: Buffer;
  readonly number?: number;
  readonly isSigned?: number;
}

export const hostbound = 'publickey-hostbound-v00@openssh.com';

export function loginData(fields: LoginFields): Buffer {
  const { user = 'ann', service = 'ssh-connection', algorithm = 'ssh-ed25519' } = fields;
  const { method = 'publickey', number = 50, isSigned = 1, hostKey } = fields;
  return Buffer.concat([
    formatString(fields.sessionId),
    Buffer.from([number]),
    join(user, service, method),
    Buffer.from([isSigned]),
    join(algorithm, fields.keyBlob, ...(hostKey === undefined ? [] : [hostKey])),
  ]);
}

export function signMessage(keyBlob: Buffer, data: Buffer, flags = 0): Buffer {
  return Buffer.concat([Buffer.from([13]), join(keyBlob, data), formatUint32(flags)]);
}
