/*
 * Where this account is signed in, and signing those devices out.
 */
import { useState } from 'preact/hooks';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import { useApp } from '../app-context.ts';
import { usePages } from '../data/use-pages.ts';
import { AddDevice } from '../lists/add-device.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { TextField, typedIn } from '../parts/fields.tsx';
import { FormSheet } from '../parts/form-sheet.tsx';
import { Icon } from '../parts/icon.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { Badge, Row } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { formatAgo } from '../text/time-words.ts';

type Device = AnswerOf<Api['auth']['devices']>['items'][number];

export function DevicesScreen() {
  const { client } = useApp();
  const [asks, setAsks] = useState<Device | 'others' | undefined>(undefined);
  const [naming, setNaming] = useState<Device | undefined>(undefined);
  const [isAdding, setIsAdding] = useState(false);
  const { resource, more } = usePages('devices', (query) => client.auth.devices({ query }), [
    'device_',
  ]);
  return (
    <Screen
      title="Devices"
      back={{ to: '/more', name: 'More' }}
      foot={
        <div class="foot">
          <button type="button" class="button main" onClick={() => setIsAdding(true)}>
            Add a device
          </button>
        </div>
      }
    >
      <ResourceView resource={resource}>
        {({ items, total }) => (
          <>
            <ul class="rows">
              {items.map((device) => (
                <DeviceRow
                  key={device.id}
                  device={device}
                  onRename={() => setNaming(device)}
                  onSignOut={() => setAsks(device)}
                />
              ))}
            </ul>
            <ShowMore shown={items.length} total={total} onMore={more} />
            {total > 1 && (
              <div class="buttons apart">
                <button type="button" class="button danger" onClick={() => setAsks('others')}>
                  Sign out all others
                </button>
              </div>
            )}
          </>
        )}
      </ResourceView>
      {isAdding && <AddDevice onClose={() => setIsAdding(false)} />}
      {naming !== undefined && (
        <RenameDevice
          device={naming}
          onDone={() => resource.refresh()}
          onClose={() => setNaming(undefined)}
        />
      )}
      {asks !== undefined && (
        <AskSignOut
          who={asks}
          onDone={() => resource.refresh()}
          onClose={() => setAsks(undefined)}
        />
      )}
    </Screen>
  );
}

function DeviceRow({
  device: { device, is_current: isCurrent, last_used_at: usedAt, created_at: createdAt },
  onRename,
  onSignOut,
}: {
  readonly device: Device;
  readonly onRename: () => void;
  readonly onSignOut: () => void;
}) {
  const { gatewayTime } = useApp();
  const ago = (at: string): string => formatAgo(Date.parse(at), gatewayTime.nowMs());
  return (
    <Row
      before={<Icon name="device" />}
      what={device}
      facts={`used ${ago(usedAt)} · signed in ${ago(createdAt)}`}
      after={isCurrent ? <Badge mood="good">this one</Badge> : undefined}
      beside={
        <div class="row-acts">
          <button
            type="button"
            class="button small"
            aria-label={`Rename ${device}`}
            onClick={onRename}
          >
            Rename
          </button>
          {!isCurrent && (
            <button
              type="button"
              class="button small"
              aria-label={`Sign out ${device}`}
              onClick={onSignOut}
            >
              Sign out
            </button>
          )}
        </div>
      }
    />
  );
}

function RenameDevice({
  device: { id, device },
  onDone,
  onClose,
}: {
  readonly device: Device;
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const { client } = useApp();
  return (
    <FormSheet
      title="Rename it"
      does="Save"
      onDo={async (form) => {
        const body = { device: typedIn(form, 'device') ?? device };
        await client.auth.renameDevice({ params: { id }, body });
        await onDone();
        onClose();
      }}
      onClose={onClose}
    >
      <TextField
        name="device"
        says="Name"
        value={device}
        isNeeded
        charactersMax={64}
        hint="Who decided something is shown by this name."
      />
    </FormSheet>
  );
}

function AskSignOut({
  who,
  onDone,
  onClose,
}: {
  readonly who: Device | 'others';
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const { client } = useApp();
  const isAll = who === 'others';
  return (
    <Confirm
      title={isAll ? 'Sign out all other devices?' : `Sign out ${who.device}?`}
      does="Sign out"
      keeps="Keep signed in"
      onDo={async () => {
        if (isAll) await client.auth.revokeOtherDevices();
        else await client.auth.revokeDevice({ params: { id: who.id } });
        await onDone();
      }}
      onClose={onClose}
    >
      <p>
        {isAll ? 'They are' : 'It is'} out within a second, and {isAll ? 'need' : 'needs'} a new
        link to come back. What runs goes on.
      </p>
    </Confirm>
  );
}
