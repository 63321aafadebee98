/*
 * A place for files that cannot be used: another user could change it, or something else is there.
 */
import type { Unsafe } from '@clawdfather/kit/files';
import { GatewayError } from '../errors.ts';

export function unsafe({ path, why, cure }: Unsafe): GatewayError {
  return new GatewayError('uploads-unsafe', `files cannot be kept: ${path}: ${why}`, {
    detail: { path },
    hint: `Mend it: ${cure}`,
  });
}
