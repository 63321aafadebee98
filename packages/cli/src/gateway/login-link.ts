/*
 * A login link as people are given it. The secret is in the fragment, which a browser sends to nobody.
 */
export function formatLoginLink(baseUrl: string, secret: string): string {
  return `${new URL(baseUrl).origin}/login#clf-link=${secret}`;
}
