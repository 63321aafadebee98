/*
 * Who decided, in words: `device:ID` by the name of the device, `cli:ann` as the person at the terminal. Pure.
 */
export interface KnownDevice {
  readonly id: string;
  readonly device: string;
  readonly is_current: boolean;
}

/* Who asked for it, where the label of its token or the name of its device is known: its id says nothing to a person. */
export function askerWords(requester: string, askedWith: string | null): string {
  if (askedWith === null) return requester;
  // `device:ID`, or `agent device:ID` where an agent asks with it.
  const [, client, kind] = /^(?:(\S+) )?(token|device):/.exec(requester) ?? [];
  const by = `${kind === 'device' ? 'the device' : 'the token'} “${askedWith}”`;
  return client === undefined ? by : `${client}, with ${by}`;
}

export function whoWords(actor: string | null, devices: readonly KnownDevice[]): string {
  if (actor === null) return 'somebody';
  const [kind, ...rest] = actor.split(':');
  const name = rest.join(':');
  if (kind === 'device') {
    const known = devices.find(({ id }) => id === name);
    if (known?.is_current === true) return 'you, on this device';
    return known === undefined ? 'a device that is signed out' : `you, on “${known.device}”`;
  }
  if (kind === 'token') return 'a token';
  if (kind === 'cli') return `${name}, in the terminal`;
  return actor;
}
