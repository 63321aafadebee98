/*
 * What somebody signs in with, as it was pasted: a whole login link, the secret out of one, or a token.
 */
import { CliError } from '../errors.ts';

export type LoginSecret =
  | { readonly kind: 'link'; readonly secret: string; readonly origin: string | undefined }
  | { readonly kind: 'token'; readonly token: string };

const secretPattern = /^[A-Za-z0-9_-]{43}$/;
const tokenPattern = /^clf_[A-Za-z0-9_-]{43}$/;
const fragmentPattern = /^#clf-link=([A-Za-z0-9_-]{43})$/;

export function parseLoginSecret(text: string): LoginSecret {
  if (tokenPattern.test(text)) return { kind: 'token', token: text };
  if (secretPattern.test(text)) return { kind: 'link', secret: text, origin: undefined };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const secret = fragmentPattern.exec(url?.hash ?? '')?.[1];
  if (secret !== undefined && url !== undefined) {
    return { kind: 'link', secret, origin: url.origin };
  }
  throw new CliError('sign-in-refused', 'that is neither a login link nor a token', {
    hint: 'A link is what `clf serve` and `clf login --link` print on the machine of the gateway.',
  });
}
