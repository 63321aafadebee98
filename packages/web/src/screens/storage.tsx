/*
 * What is kept on this device, and forgetting it.
 */
import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Screen } from '../parts/screen.tsx';
import { forgetKept, type StorageUsage, unsentIn, usageOf } from '../storage/kept-here.ts';
import { lossWords, type Unsent } from '../storage/unsent.ts';

const whyNot = {
  asked: '“Keep nothing here” is on. What is shown is gone when you close the app.',
  full: 'This device has no room left. What you write is in this page only, until it is sent.',
  refused: 'This browser keeps nothing for this address. What you write is in this page only.',
} as const;

export function StorageScreen() {
  const { storage, outbox } = useApp();
  const [usage, setUsage] = useState<StorageUsage | undefined>(undefined);
  const [isAsking, setIsAsking] = useState(false);
  const [unsent, setUnsent] = useState<Unsent>({ messages: 0, drafts: 0 });
  const look = async (): Promise<void> => {
    setUsage(await usageOf(storage.tables));
    setUnsent(await unsentIn(storage.tables));
  };
  useEffect(() => void look(), [outbox.rows.value]);
  const standing = storage.standing.value;
  const loss = lossWords(unsent);
  return (
    <Screen title="Storage" back={{ to: '/settings', name: 'Settings' }}>
      {standing.kind === 'in-page' && <p class="obstacle">{whyNot[standing.why]}</p>}
      {usage !== undefined && (
        <dl class="facts-table">
          <div>
            <dt>Threads, lists and pages as last seen</dt>
            <dd>
              {usage.snapshots} · {formatBytes(usage.snapshotBytes)}
            </dd>
          </div>
          <div>
            <dt>Drafts</dt>
            <dd>{unsent.drafts}</dd>
          </div>
          <div>
            <dt>Messages that wait to be sent</dt>
            <dd>{unsent.messages}</dd>
          </div>
        </dl>
      )}
      <p class="quiet">
        At most 40 MB; the oldest leave first. No token, link or code is ever kept here. Signing out
        removes all of it.
      </p>
      <div class="buttons apart">
        <button type="button" class="button danger" onClick={() => setIsAsking(true)}>
          Forget on this device
        </button>
      </div>
      {isAsking && (
        <Confirm
          title="Forget what is kept here?"
          does="Forget it"
          isHere
          onClose={() => setIsAsking(false)}
          onDo={async () => {
            await forgetKept(storage.tables);
            await outbox.reload();
            await look();
          }}
        >
          <p>
            What the gateway has stays there.
            {loss !== undefined && ` ${loss}`}
          </p>
        </Confirm>
      )}
    </Screen>
  );
}

function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
