/*
 * What the place where the app was opened cannot do, and what to do about it. Pure.
 */
export interface Place {
  readonly origin: string;
  readonly isSecure: boolean;
  readonly takesCookies: boolean;
  /* Safari on an iPhone or iPad, as a page and not as an app. */
  readonly isUninstalledSafari: boolean;
}

export interface PlaceWords {
  readonly title: string;
  readonly text: string;
}

/* Undefined: nothing is in the way. */
export function formatObstacle({ origin, isSecure, takesCookies }: Place): PlaceWords | undefined {
  if (!isSecure) {
    return {
      title: 'This address is not secure',
      text: `${origin} has no https. Browsers keep a sign-in, install an app and show notifications only over https. Give the gateway an https address, such as with “tailscale serve” or Caddy, and open that one.`,
    };
  }
  if (!takesCookies) {
    return {
      title: 'Your browser refuses cookies',
      text: 'The sign-in is one cookie of this gateway. Allow cookies for this address, then try again.',
    };
  }
  return undefined;
}

/* The gateway let us in, and the browser did not keep it. */
export function formatLostCookie({ origin, isSecure }: Place): PlaceWords {
  if (!isSecure) {
    return {
      title: 'This browser did not keep the sign-in',
      text: `It keeps secure cookies only over https. Open the gateway under https:// instead of ${origin}. The link is used up; make a new one.`,
    };
  }
  return {
    title: 'This browser did not keep the sign-in',
    text: 'It may block cookies for this address, or delete them at once. Allow them, then make a new link.',
  };
}

export function placeOf(page: Window): Place {
  const { navigator, location, isSecureContext } = page;
  const isApple =
    /iPhone|iPad|iPod/.test(navigator.userAgent) ||
    (navigator.userAgent.includes('Macintosh') && navigator.maxTouchPoints > 1);
  return {
    origin: location.origin,
    isSecure: isSecureContext,
    takesCookies: navigator.cookieEnabled,
    isUninstalledSafari: isApple && !page.matchMedia('(display-mode: standalone)').matches,
  };
}

/* Nobody else reaches an address like that. */
export function isOfThisMachine(address: string): boolean {
  const { hostname } = new URL(address);
  return /^(.+\.)?localhost$|^127\.|^\[::1\]$/.test(hostname);
}
