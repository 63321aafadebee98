/*
 * Who is asking, inside a span of its own (`auth.validate_token`). Without tracing it is the same function as before.
 */
import type { Authenticate } from '../auth/authenticate.ts';
import type { Tracing } from './tracing.ts';

export function traceAuthenticate(authenticate: Authenticate, tracing: Tracing): Authenticate {
  if (tracing.requests === undefined) return authenticate;
  return (credentials) =>
    tracing.inSpan({ name: 'auth.validate_token' }, async (span) => {
      const caller = await authenticate(credentials);
      if (caller !== undefined) span.set({ account_id: caller.accountId });
      return caller;
    });
}
