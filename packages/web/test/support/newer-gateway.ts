/*
 * A gateway of a later time, which says that it needs a newer app: every answer of the real one, under another name.
 */
import type { BrowserContext } from 'playwright-core';

export const newerVersion = '99.0.0';

export async function routeNewerGateway(context: BrowserContext): Promise<void> {
  const newer = `version="${newerVersion}", oldest-app="${newerVersion}"`;
  await context.route('**/api/v1/**', async (route) => {
    const response = await route.fetch();
    const header = response.headers()['clawdfather-gateway'] ?? '';
    const headers = {
      ...response.headers(),
      'clawdfather-gateway': header.replace(/version=.*/, newer),
    };
    await route.fulfill({ response, headers });
  });
  // A stream never ends, so it is not fetched first.
  await context.route('**/api/v1/events*', async (route) => {
    if (route.request().headers()['accept'] !== 'text/event-stream') return route.fallback();
    const headers = {
      'content-type': 'text/event-stream',
      'clawdfather-gateway': `instance="0000000000000000", generation=1, ${newer}`,
    };
    await route.fulfill({ status: 200, headers, body: ': hello\n\n' });
  });
}
