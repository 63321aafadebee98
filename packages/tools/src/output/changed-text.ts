/*
 * Why an approval was not used: something that it is bound to was another at the start (A6).
 */

/* A sentence for whoever asked and whoever decided. */
export function formatChanged({
  changed = 'something has changed',
  askedAgainAs,
}: {
  readonly changed: string | undefined;
  readonly askedAgainAs: string | undefined;
}): string {
  const next =
    askedAgainAs === undefined ? 'it was not asked again' : `asked again as ${askedAgainAs}`;
  return `${changed} since it was asked for; ${next}`;
}
