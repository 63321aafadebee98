/*
 * How the app stands with its gateway, as one value, and what each event makes of it (docs/lifecycles.md). Pure.
 *
 * A drop that heals within four seconds is nobody's business: `dropped` is shown as nothing. Only a refusal of the gateway itself means that
 * this device is signed out; silence never does.
 */

export type Link =
  | { readonly kind: 'live' }
  /* For less than four seconds, or since the app was opened. */
  | { readonly kind: 'dropped' }
  /* `nextTryAtMs` by the monotonic clock. Undefined: one is under way. */
  | { readonly kind: 'reconnecting'; readonly nextTryAtMs: number | undefined }
  /* The gateway was restarted while we were away, and what it has to say comes in. */
  | { readonly kind: 'catching-up'; readonly from: number; readonly to: number }
  /* The device says that it has no network. */
  | { readonly kind: 'offline' }
  | { readonly kind: 'signed-out' }
  | { readonly kind: 'too-old'; readonly gatewayVersion: string };

export interface ConnectionState {
  readonly link: Link;
  /* What the device says of its network. Something may come all the same, so the link can be live; when that is lost, it is offline again. */
  readonly isOnline: boolean;
  /* The generations of a restart that was seen while the link was not live. */
  readonly restart: { readonly from: number; readonly to: number } | undefined;
  readonly update: UpdateOffer;
}

/* Another build of the app that is on this device: each is offered once. */
export type UpdateOffer =
  | { readonly kind: 'none' }
  | { readonly kind: 'ready' | 'put-off'; readonly build: string };

export type ConnectionEvent =
  /* The stream is open. */
  | { readonly kind: 'opened' }
  | { readonly kind: 'lost'; readonly nextTryAtMs: number }
  | { readonly kind: 'trying' }
  /* Something came, a keep-alive at least. */
  | { readonly kind: 'heard' }
  /* Four seconds have passed since it was lost. */
  | { readonly kind: 'patience-over' }
  | { readonly kind: 'restarted'; readonly from: number; readonly to: number }
  /* Everything that had happened until the stream was opened is here. */
  | { readonly kind: 'caught-up' }
  | { readonly kind: 'device-offline' }
  | { readonly kind: 'device-online' }
  /* A refusal of the gateway itself: 401. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'signed-in' }
  | { readonly kind: 'gateway-too-new'; readonly gatewayVersion: string }
  | { readonly kind: 'gateway-fits' }
  | { readonly kind: 'update-ready'; readonly build: string }
  /* What waits is what the page has: say after a version was taken back. */
  | { readonly kind: 'update-gone' }
  | { readonly kind: 'update-put-off' };

export const connectionAtStart: ConnectionState = {
  link: { kind: 'dropped' },
  isOnline: true,
  restart: undefined,
  update: { kind: 'none' },
};

export function nextConnection(state: ConnectionState, event: ConnectionEvent): ConnectionState {
  const update = nextUpdate(state.update, event);
  if (update !== state.update) return { ...state, update };
  const restart = nextRestart(state, event);
  const isOnline = nextOnline(state.isOnline, event);
  const link = nextLink({ ...state, isOnline, restart }, event);
  const isSame = link === state.link && restart === state.restart && isOnline === state.isOnline;
  if (isSame) return state;
  return { ...state, link, isOnline, restart: link.kind === 'live' ? undefined : restart };
}

function nextOnline(isOnline: boolean, { kind }: ConnectionEvent): boolean {
  if (kind === 'device-offline') return false;
  return isOnline || kind === 'device-online';
}

function nextUpdate(update: UpdateOffer, event: ConnectionEvent): UpdateOffer {
  switch (event.kind) {
    case 'update-ready': {
      const { build } = event;
      return update.kind !== 'none' && update.build === build ? update : { kind: 'ready', build };
    }
    case 'update-put-off':
      return update.kind === 'ready' ? { kind: 'put-off', build: update.build } : update;
    case 'update-gone':
      return update.kind === 'none' ? update : { kind: 'none' };
    default:
      return update;
  }
}

/* A restart under a live stream cannot be: the stream would have ended. One that heals unseen is told by the receipt. */
function nextRestart(
  { restart, link }: ConnectionState,
  event: ConnectionEvent,
): ConnectionState['restart'] {
  if (event.kind !== 'restarted' || link.kind === 'live') return restart;
  return { from: restart?.from ?? event.from, to: event.to };
}

function nextLink(state: ConnectionState, event: ConnectionEvent): Link {
  const { link } = state;
  switch (event.kind) {
    case 'refused':
      return link.kind === 'signed-out' ? link : { kind: 'signed-out' };
    case 'signed-in':
      return link.kind === 'signed-out' ? { kind: 'dropped' } : link;
    case 'gateway-too-new':
      return link.kind === 'too-old' && link.gatewayVersion === event.gatewayVersion
        ? link
        : { kind: 'too-old', gatewayVersion: event.gatewayVersion };
    case 'gateway-fits':
      return link.kind === 'too-old' ? { kind: 'dropped' } : link;
    case 'device-offline':
      return isFinal(link) ? link : offline(link);
    case 'device-online':
      // It was said to be offline, so there is something to tell until the stream is open.
      return link.kind === 'offline' ? { kind: 'reconnecting', nextTryAtMs: undefined } : link;
    default:
      return isFinal(link) ? link : nextStream(state, event);
  }
}

/* Only signing in or another version of the gateway leads out of these. */
function isFinal({ kind }: Link): boolean {
  return kind === 'signed-out' || kind === 'too-old';
}

function nextStream({ link, isOnline, restart }: ConnectionState, event: ConnectionEvent): Link {
  const isTold = link.kind === 'reconnecting' || link.kind === 'offline';
  switch (event.kind) {
    case 'opened':
      if (isTold && restart !== undefined) return { kind: 'catching-up', ...restart };
      return link.kind === 'live' || link.kind === 'catching-up' ? link : { kind: 'live' };
    case 'heard':
      // A device may say that it is offline and yet reach a gateway that is near.
      return link.kind === 'offline' ? { kind: 'live' } : link;
    case 'caught-up':
      return link.kind === 'catching-up' ? { kind: 'live' } : link;
    case 'lost':
      return isOnline ? afterLoss(link, event.nextTryAtMs) : offline(link);
    case 'trying':
      return link.kind === 'reconnecting' && link.nextTryAtMs !== undefined
        ? { kind: 'reconnecting', nextTryAtMs: undefined }
        : link;
    case 'patience-over':
      return link.kind === 'dropped' ? { kind: 'reconnecting', nextTryAtMs: undefined } : link;
    default:
      return link;
  }
}

function afterLoss(link: Link, nextTryAtMs: number): Link {
  if (link.kind === 'live') return { kind: 'dropped' };
  const isTold = link.kind === 'reconnecting' || link.kind === 'catching-up';
  return isTold ? { kind: 'reconnecting', nextTryAtMs } : link;
}

/* The same value where nothing changes, so that nothing is drawn again. */
function offline(link: Link): Link {
  return link.kind === 'offline' ? link : { kind: 'offline' };
}
