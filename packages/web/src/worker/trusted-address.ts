/*
 * The addresses of our workers, as the page's policy wants them: made by the one policy of trusted types that it allows, which takes
 * files of our own and nothing else.
 */
interface Policies {
  createPolicy(
    name: string,
    rules: { createScriptURL: (address: string) => string },
  ): { createScriptURL(address: string): unknown };
}

let policy: ReturnType<Policies['createPolicy']> | undefined;

/* Typed as a text, as the calls that take it are. */
export function trustedAddress(address: string): string {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: Policies };
  if (trustedTypes === undefined) return ours(address);
  policy ??= trustedTypes.createPolicy('clf-workers', { createScriptURL: ours });
  return policy.createScriptURL(address) as string;
}

function ours(address: string): string {
  const { origin, href } = new URL(address, location.origin);
  if (origin !== location.origin) throw new Error('a worker of another origin');
  return href;
}
