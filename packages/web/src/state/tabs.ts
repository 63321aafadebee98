/*
 * What the tabs of the app, and its worker, tell each other: that something on the device has changed. What it is, each looks up.
 */

/* `outbox`: rows were written or changed. `standing`: somebody signed in or out. */
export type TabNews = 'outbox' | 'standing';

export interface Tabs {
  tell(news: TabNews): void;
  onNews(listener: (news: TabNews) => void): void;
}

export function openTabs(): Tabs {
  // Old browsers and some private windows have none: then a tab learns of it when it is looked at again.
  if (typeof BroadcastChannel === 'undefined') return { tell: () => {}, onNews: () => {} };
  const channel = new BroadcastChannel('clawdfather');
  return {
    tell: (news) => channel.postMessage(news),
    onNews: (listener) => {
      channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
        if (data === 'outbox' || data === 'standing') listener(data);
      });
    },
  };
}
