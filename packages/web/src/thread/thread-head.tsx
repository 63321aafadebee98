/*
 * What the head of a thread says besides its title: how it stands, who works for it and where, and whether it is followed live.
 */
import type { LinkState } from '@clawdfather/sdk';
import { lazy, Suspense } from 'preact/compat';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { createResource } from '../data/resource.ts';
import { Badge } from '../parts/rows.tsx';
import { moodOfThread, standingOfThread, type Thread } from '../text/thread-words.ts';
import { standingOf } from './choices/choice-words.ts';

const ThreadMenu = lazy(async () => (await import('./threads/thread-menu.tsx')).ThreadMenu);

const links: Readonly<Record<string, string>> = {
  live: 'Live',
  lost: 'Reconnecting',
  connecting: 'Connecting',
};

/* Its menu. How it stands is in the line below: the title needs the place. */
export function ThreadHead({
  thread,
  onChanged,
}: {
  readonly thread: Thread;
  readonly onChanged: () => void;
}) {
  const [isMenu, setIsMenu] = useState(false);
  return (
    <>
      <button
        type="button"
        class="icon-button"
        aria-label="More about this thread"
        onClick={() => setIsMenu(true)}
      >
        ⋯
      </button>
      {isMenu && (
        <Suspense fallback={null}>
          <ThreadMenu thread={thread} onChanged={onChanged} onClose={() => setIsMenu(false)} />
        </Suspense>
      )}
    </>
  );
}

export function ThreadFacts({
  thread,
  link,
}: {
  readonly thread: Thread;
  readonly link: LinkState['kind'];
}) {
  const host = useHostName(thread.connection_id);
  const choices = standingOf(thread);
  return (
    <p class="thread-facts">
      {/* Of the connection, and not of how it stands. */}
      <span class={`dot ${link}`} title={links[link] ?? link}>
        <span class="only-read-aloud">{links[link] ?? link}</span>
      </span>
      <Badge mood={moodOfThread(thread)}>{standingOfThread(thread)}</Badge>
      <span>{thread.agent}</span>
      {choices !== '' && <span class="choices">{choices}</span>}
      <span>{host}</span>
      <span class="path">{thread.directory}</span>
    </p>
  );
}

function useHostName(id: string | null): string {
  const { client, clock, storage } = useApp();
  const host = useMemo(() => {
    const load = async (): Promise<string> => {
      if (id === null) return 'this machine';
      return (await client.connections.get({ params: { id } })).connection.label;
    };
    return createResource(
      { clock, storage },
      load,
      id === null ? {} : { key: `host-name-1-${id}` },
    );
  }, [client, clock, storage, id]);
  useEffect(() => void host.refresh(), [host]);
  return host.value.value ?? (id === null ? 'this machine' : 'a host');
}
