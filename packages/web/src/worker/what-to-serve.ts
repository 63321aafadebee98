/*
 * What the worker does with a request. Pure.
 *
 * Calls of the API, sockets and streams are never touched: they go past the worker as if it were not there. A page of the app is always the
 * one page; what is not the app's (the API's documents, health, metrics) is the gateway's.
 */
export type Serving = 'page' | 'file' | 'nothing';

/* First parts of addresses that are the gateway's own. */
const ofGateway = ['api', 'ws', 'mcp', 'acp', 'health', 'readyz', 'metrics'];

export interface Asked {
  readonly method: string;
  readonly mode: string;
  readonly url: string;
}

export function whatToServe(
  { method, mode, url }: Asked,
  origin: string,
  files: readonly string[],
): Serving {
  const { pathname, origin: of } = new URL(url);
  if (method !== 'GET' || of !== origin) return 'nothing';
  if (pathname.startsWith('/app/') || files.includes(pathname)) return 'file';
  if (mode !== 'navigate') return 'nothing';
  const [, first = ''] = pathname.split('/');
  // A name with a dot is a file, and a file that is missing is never the page.
  return ofGateway.includes(first) || pathname.includes('.') ? 'nothing' : 'page';
}

/* A script or style that turns out to be a page is the classic blank screen after an upgrade. */
export function isTrueFile(answer: Pick<Response, 'ok' | 'headers'>): boolean {
  return answer.ok && !(answer.headers.get('content-type') ?? '').includes('text/html');
}
