/*
 * Which addresses a push may be sent to. A client gives us the address, so without this list any caller could make the gateway post to any server,
 * its own network included.
 *
 * The name decides, before anything is resolved: these names belong to the makers of browsers, and TLS proves that one of them answers. A
 * name is compared as the URL parser has written it, so no other spelling of an address gets by.
 */
const exact = ['fcm.googleapis.com', 'web.push.apple.com'];
const below = ['.web.push.apple.com', '.push.services.mozilla.com', '.notify.windows.com'];

export interface PushServices {
  /* The address as it is posted to; `undefined`: nothing is posted there. */
  parse(endpoint: string): URL | undefined;
}

/* `origins`: further ones, word for word, from the settings of whoever runs the gateway. */
export function createPushServices(origins: readonly string[] = []): PushServices {
  return {
    parse: (endpoint) => {
      if (!URL.canParse(endpoint)) return undefined;
      const url = new URL(endpoint);
      if (url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
      return origins.includes(url.origin) || isKnown(url) ? url : undefined;
    },
  };
}

function isKnown({ protocol, port, hostname }: URL): boolean {
  if (protocol !== 'https:' || port !== '') return false;
  return exact.includes(hostname) || below.some((end) => hostname.endsWith(end));
}
