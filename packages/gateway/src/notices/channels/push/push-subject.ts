/*
 * How a push service reaches whoever runs this gateway. It is part of every message, and Apple refuses all of them when it names no place on
 * the internet (403 BadJwtToken).
 */
export interface SubjectSettings {
  readonly contact?: string | undefined;
  readonly publicUrl?: string | undefined;
}

/* Without either, only browsers on this machine can subscribe; their push services look at the form alone. */
export function pushSubjectOf({ contact, publicUrl }: SubjectSettings): string {
  if (contact !== undefined) return contact;
  if (publicUrl?.startsWith('https:')) return new URL(publicUrl).origin;
  return 'https://localhost';
}
