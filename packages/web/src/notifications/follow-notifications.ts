/*
 * Leads the app to what a notification is about, when one was tapped.
 */
import type { Clock } from '@clawdfather/kit';
import type { DeviceStorage } from '../storage/device-storage.ts';
import { isOpenMessage, openedNote, pathAtStart } from './opened-notification.ts';

export interface FollowDeps {
  readonly page: Pick<Window, 'location'> & {
    readonly navigator: Partial<Pick<Navigator, 'serviceWorker'>>;
  };
  readonly storage: Pick<DeviceStorage, 'notes' | 'writer'>;
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly go: (path: string) => void;
}

export function followNotifications({ page, storage, clock, go }: FollowDeps): void {
  const forget = (): Promise<void> => storage.writer().note(openedNote, null);
  page.navigator.serviceWorker?.addEventListener('message', ({ data }) => {
    if (!isOpenMessage(data)) return;
    go(data.path);
    void forget();
  });
  const atStart = async (): Promise<void> => {
    const note = await storage.notes.read(openedNote);
    if (note === undefined || note === null) return;
    const path = pathAtStart(note, { path: page.location.pathname, nowMs: clock.wallMs() });
    await forget();
    if (path !== undefined) go(path);
  };
  void atStart();
}
