/*
 * The name of a device that did not give one: enough for a person to recognise a phone in the list. It is used for nothing else.
 */
const systems = [
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Android', /Android/],
  ['Windows', /Windows/],
  ['Mac', /Macintosh|Mac OS/],
  ['Linux', /Linux|X11/],
] as const;

/* In this order: each names the ones below it as well. */
const browsers = [
  ['Edge', /Edg/],
  ['Firefox', /Firefox|FxiOS/],
  ['Chrome', /Chrom|CriOS/],
  ['Safari', /Safari/],
] as const;

export function deviceNameOf(userAgent = ''): string {
  const system = systems.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const browser = browsers.find(([, pattern]) => pattern.test(userAgent))?.[0];
  if (browser === undefined) return system ?? 'unnamed device';
  return system === undefined ? browser : `${browser} on ${system}`;
}
