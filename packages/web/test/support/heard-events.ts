/*
 * What a page has heard of a thread, event by event, as it came over all of its connections.
 */
import type { ThreadEvent } from '@clawdfather/sdk';
import type { Page } from 'playwright-core';

interface Hearing {
  heard: string[];
}

/* Before the page is loaded. */
export async function hearStreams(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const hearing = globalThis as unknown as Hearing;
    hearing.heard = [];
    const send = window.fetch.bind(window);
    window.fetch = async (asked, how) => {
      const answer = await send(asked, how);
      const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
      const isOfThread = /\/threads\/\w+\/events/.test(answer.url);
      if (isStream && isOfThread) void listen(answer.clone());
      return answer;
    };
    async function listen({ body }: Response): Promise<void> {
      const at = hearing.heard.push('') - 1;
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
      try {
        for (;;) {
          const piece = await reader?.read();
          if (piece?.value === undefined) return;
          hearing.heard[at] = `${hearing.heard[at] ?? ''}${piece.value}`;
        }
      } catch {
        // It was cut, as it is meant to be.
      }
    }
  });
}

/* What came whole; an event that a cut has halved comes again. */
export async function heardEvents(page: Page): Promise<readonly ThreadEvent[]> {
  const connections = await page.evaluate(() => (globalThis as unknown as Hearing).heard);
  return connections.flatMap((text) =>
    text
      .split('\n\n')
      .slice(0, -1)
      .flatMap((one) => {
        const data = /^data: ?(\{.*)$/m.exec(one)?.[1];
        return data === undefined ? [] : [JSON.parse(data) as ThreadEvent];
      })
      .filter(({ seq }) => typeof seq === 'number'),
  );
}
