/*
 * A line of `authorized_keys` that we made: type, blob, comment.
 */
import { SshError } from '../errors.ts';
import { createWireReader } from '../wire.ts';

export interface PublicLine {
  readonly blob: Buffer;
  readonly comment: string;
}

const pattern = /^(ssh-ed25519) ([A-Za-z0-9+/]+={0,2})(?: ([\x20-\x7e]{0,256}))?$/;
const pointBytes = 32;

/* Throws `public-key-invalid`. */
export function parsePublicLine(line: string): PublicLine {
  const [, type = '', base64 = '', comment = ''] = pattern.exec(line) ?? [];
  const blob = Buffer.from(base64, 'base64');
  const reader = createWireReader(blob);
  const [inner, point] = [reader.name(), reader.string()];
  if (type === '' || inner !== type || point.length !== pointBytes || !reader.isWhole()) {
    throw new SshError('public-key-invalid', 'a stored public key is not an ed25519 key of ours');
  }
  return { blob, comment };
}
