/*
 * A host that shows another key than the one that was trusted: both, side by side. It stays blocked unless a person types its name.
 */
import { useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { useResource } from '../data/use-resource.ts';
import { Confirm } from '../parts/confirm.tsx';
import { ShareButton } from '../parts/copyable.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { formatAgo } from '../text/time-words.ts';
import { Fingerprint } from './fingerprint.tsx';
import { addressOfHost, type Host } from './host-words.ts';

export interface ChangedKeyProps {
  readonly host: Host;
  readonly before: string | null;
  readonly now: string | null;
  /* True when the host let us in with it. */
  readonly onTrust: (fingerprint: string) => Promise<boolean>;
}

export function ChangedKey({ host, before, now, onTrust }: ChangedKeyProps) {
  const { gatewayTime } = useApp();
  const [isAsked, setIsAsked] = useState(false);
  const [isKept, setIsKept] = useState(false);
  const seenAt = host.last_test?.at;
  return (
    <section class="panel stopped" role="alert">
      <h2>{host.label} shows another key</h2>
      <p>
        It may have been installed anew. It may also be another machine that wants to be taken for
        it. Nothing is sent to it while it is blocked.
        {seenAt !== undefined &&
          ` Last seen with this key: ${formatAgo(Date.parse(seenAt), gatewayTime.nowMs())}.`}
      </p>
      <div class="two-keys">
        <div>
          <h3>Trusted</h3>
          {before === null ? <p>none</p> : <Fingerprint text={before} />}
        </div>
        <div>
          <h3>Shown now</h3>
          {now === null ? <p>not known</p> : <Fingerprint text={now} />}
        </div>
      </div>
      <HeldSessions hostId={host.id} />
      {isKept && <p role="status">It stays blocked.</p>}
      <div class="buttons">
        {now !== null && (
          <button type="button" class="button danger" onClick={() => setIsAsked(true)}>
            Trust the new key
          </button>
        )}
        <ShareButton
          title={`The key of ${host.label} has changed`}
          text={`The key of ${addressOfHost(host)} has changed.\nBefore: ${before ?? 'not known'}\nNow: ${now ?? 'not known'}\nDid you change it?`}
        />
        <button type="button" class="button main" onClick={() => setIsKept(true)}>
          Keep blocked
        </button>
      </div>
      {isAsked && now !== null && (
        <Confirm
          title="Trust the new key?"
          does="Trust the new key"
          keeps="Keep blocked"
          typed={host.host}
          onDo={() => onTrust(now)}
          onClose={() => setIsAsked(false)}
        >
          <p>
            Do this only if you know why the key has changed. What agents may do on this host goes
            back to “ask”.
          </p>
          <Fingerprint text={now} />
        </Confirm>
      )}
    </section>
  );
}

/* They were made with the old key, and end when the new one is trusted. */
function HeldSessions({ hostId }: { readonly hostId: string }) {
  const { client } = useApp();
  const sessions = useResource('sessions/active', () =>
    client.sessions.list({ query: { status: 'active', limit: 100 } }),
  );
  return (
    <ResourceView resource={sessions}>
      {({ items }) => (
        <Held count={items.filter((each) => each.connection?.id === hostId).length} />
      )}
    </ResourceView>
  );
}

function Held({ count }: { readonly count: number }) {
  if (count === 0) return <p class="quiet">No session on it is open.</p>;
  return (
    <p class="quiet">
      {count === 1 ? '1 session is' : `${count} sessions are`} still open with the trusted key.
      Trusting the new key ends {count === 1 ? 'it' : 'them'}.
    </p>
  );
}
