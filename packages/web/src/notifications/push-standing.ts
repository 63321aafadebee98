/*
 * How notifications stand on this device. Pure.
 */
export type PushStanding =
  /* iOS has them only for an app on the home screen. */
  | 'not-installed'
  | 'not-supported'
  /* Without https there is no worker, so there is no push. */
  | 'not-secure'
  | 'denied'
  | 'off'
  | 'broken'
  | 'working';

export interface PushFacts {
  readonly isSecure: boolean;
  /* The browser has workers, push and notifications. */
  readonly isSupported: boolean;
  readonly isIos: boolean;
  readonly isInstalled: boolean;
  readonly permission: 'default' | 'denied' | 'granted';
  /* Of the browser's own subscription. */
  readonly endpoint: string | undefined;
  /* What the gateway has of this device. */
  readonly known:
    | { readonly endpoint: string; readonly key_id: string; readonly failure: string | null }
    | undefined;
  readonly keyId: string;
}

export function pushStandingOf(facts: PushFacts): PushStanding {
  const { isSecure, isSupported, isIos, isInstalled, permission, endpoint, known } = facts;
  if (!isSecure) return 'not-secure';
  if (isIos && !isInstalled) return 'not-installed';
  if (!isSupported) return 'not-supported';
  if (permission === 'denied') return 'denied';
  if (permission === 'default' || (endpoint === undefined && known === undefined)) return 'off';
  return needsRenewal(facts) || known?.failure !== null ? 'broken' : 'working';
}

/* What the browser has and what the gateway has belong together only under one address and the current key. */
export function needsRenewal({ permission, endpoint, known, keyId }: PushFacts): boolean {
  if (permission !== 'granted' || (endpoint === undefined && known === undefined)) return false;
  return endpoint === undefined || known?.endpoint !== endpoint || known.key_id !== keyId;
}
