/*
 * The one state of the connection, and everything that changes it: the stream of the account, the network, the page that is hidden and seen
 * again, restarts and versions of the gateway. `nextConnection` decides; this is the one place that assigns.
 */
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { Clock, Timer } from '@clawdfather/kit';
import { isAppTooOld } from '@clawdfather/protocol/api';
import type { GatewayWatch, LinkState } from '@clawdfather/sdk';
import {
  type ConnectionEvent,
  connectionAtStart,
  type ConnectionState,
  nextConnection,
} from './next-connection.ts';
import { type Moment, momentOf, passedMs } from './moment.ts';
import { isWorthRenewing } from './renewal.ts';

export interface Connection {
  readonly state: ReadonlySignal<ConnectionState>;
  /* Decisions are made only on what is sure to be so. */
  readonly canDecide: ReadonlySignal<boolean>;
  /* The gateway is not known to be away: it is worth asking it for something. A short drop changes nothing. */
  readonly canAct: ReadonlySignal<boolean>;
  readonly retryNow: () => void;
  /* For streams (`renewals` of the sdk): their connection is replaced at once when the page comes back. */
  readonly renewals: (renew: () => void) => () => void;
  /* Called whenever the page is seen again or the network is back. */
  onReturn(listener: () => void): () => void;
  note(event: ConnectionEvent): void;
  /* What the stream of the account tells. */
  onLink(state: LinkState): void;
  readonly onHeard: () => void;
}

export interface ConnectionPage {
  readonly window: Pick<Window, 'addEventListener'>;
  readonly document: Pick<Document, 'addEventListener' | 'visibilityState'>;
  readonly navigator: Pick<Navigator, 'onLine'>;
}

export interface ConnectionDeps {
  readonly clock: Clock;
  readonly gateway: GatewayWatch;
  readonly page: ConnectionPage;
  readonly appVersion: string;
}

/* A shorter drop heals before it could be read of. */
const patienceMs = 4_000;

export function openConnection(deps: ConnectionDeps): Connection {
  const { clock, gateway, appVersion } = deps;
  const state = signal<ConnectionState>(connectionAtStart);
  const heard = { at: momentOf(clock) };
  const streams = new Set<() => void>();
  let patience: Timer | undefined;
  const note = (event: ConnectionEvent): void => {
    const next = nextConnection(state.value, event);
    if (next === state.value) return;
    const before = state.value.link.kind;
    state.value = next;
    if (before !== next.link.kind) entered(next.link.kind);
  };
  const entered = (kind: ConnectionState['link']['kind']): void => {
    patience?.cancel();
    if (kind !== 'dropped') return;
    patience = clock.timer(patienceMs, () => note({ kind: 'patience-over' }));
  };
  const retryNow = (): void => {
    for (const renew of streams) renew();
  };
  entered('dropped');
  gateway.onRestart(({ generationBefore: from, gateway: { generation: to } }) =>
    note({ kind: 'restarted', from, to }),
  );
  const returns = watchPage(deps, { state, heard, note, renew: retryNow });
  return {
    state,
    canDecide: computed(() => state.value.link.kind === 'live'),
    canAct: computed(() => !['reconnecting', 'offline'].includes(state.value.link.kind)),
    retryNow,
    renewals: (renew) => {
      streams.add(renew);
      return () => void streams.delete(renew);
    },
    onReturn: (listener) => {
      returns.add(listener);
      return () => void returns.delete(listener);
    },
    note,
    onLink: (link) => {
      if (link.kind === 'connecting') return note({ kind: 'trying' });
      if (link.kind === 'lost') {
        return note({ kind: 'lost', nextTryAtMs: clock.monotonicMs() + link.retryInMs });
      }
      const gatewayVersion = gateway.last?.version ?? appVersion;
      const isTooOld = isAppTooOld(appVersion, gateway.last ?? {});
      note(isTooOld ? { kind: 'gateway-too-new', gatewayVersion } : { kind: 'gateway-fits' });
      note({ kind: 'opened' });
    },
    onHeard: () => {
      heard.at = momentOf(clock);
      note({ kind: 'heard' });
    },
  };
}

interface Watched {
  readonly state: ReadonlySignal<ConnectionState>;
  readonly heard: { readonly at: Moment };
  readonly note: (event: ConnectionEvent) => void;
  readonly renew: () => void;
}

function watchPage(
  { clock, page: { window, document, navigator } }: ConnectionDeps,
  { state, heard, note, renew }: Watched,
): Set<() => void> {
  const returns = new Set<() => void>();
  let hiddenAt: Moment | undefined;
  const back = (): void => {
    if (document.visibilityState === 'hidden') return;
    const now = momentOf(clock);
    const hiddenMs = hiddenAt === undefined ? 0 : passedMs(hiddenAt, now);
    hiddenAt = undefined;
    const isLive = state.value.link.kind === 'live';
    if (isWorthRenewing({ hiddenMs, silentMs: passedMs(heard.at, now), isLive })) renew();
    for (const listener of returns) listener();
  };
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') hiddenAt ??= momentOf(clock);
    else back();
  });
  window.addEventListener('pageshow', back);
  window.addEventListener('focus', back);
  window.addEventListener('online', () => {
    note({ kind: 'device-online' });
    renew();
    back();
  });
  window.addEventListener('offline', () => note({ kind: 'device-offline' }));
  if (!navigator.onLine) note({ kind: 'device-offline' });
  return returns;
}
