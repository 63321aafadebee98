/*
 * The keys that hosts let us in with. They are made by the gateway and never leave it.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useApp } from '../app-context.ts';
import { usePages } from '../data/use-pages.ts';
import { TextField, typedIn } from '../parts/fields.tsx';
import { Fingerprint } from '../hosts/fingerprint.tsx';
import { FormSheet } from '../parts/form-sheet.tsx';
import { Icon } from '../parts/icon.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { Badge, Empty, Row } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { ShowMore } from '../parts/show-more.tsx';

export function KeysScreen() {
  const { client } = useApp();
  const [isAsked, setIsAsked] = useState(false);
  const { resource, more } = usePages('keys', (query) => client.keys.list({ query }));
  // Beside a key it stays, and no event tells of keys. Whoever changes one is led to another address.
  const [location] = useLocation();
  const readAt = useRef(location);
  useEffect(() => {
    if (readAt.current !== location) void resource.refresh();
    readAt.current = location;
  }, [location]);
  return (
    <Screen
      title="Keys"
      back={{ to: '/more', name: 'More' }}
      foot={
        <div class="foot">
          <button type="button" class="button main" onClick={() => setIsAsked(true)}>
            Make a key
          </button>
        </div>
      }
    >
      <ResourceView resource={resource}>
        {({ items, total }) => (
          <>
            {items.length === 0 ? (
              <Empty title="No key yet">
                <p>
                  A key is what a host lets us in with. The private half is made by the gateway and
                  never leaves it.
                </p>
              </Empty>
            ) : (
              <ul class="rows">
                {items.map(({ id, label, fingerprint, status }) => (
                  <Row
                    key={id}
                    to={`/keys/${id}`}
                    before={<Icon name="key" />}
                    what={label}
                    facts={<Fingerprint text={fingerprint} />}
                    after={
                      status === 'active' ? (
                        <Icon name="forward" />
                      ) : (
                        <Badge mood="waiting">being replaced</Badge>
                      )
                    }
                  />
                ))}
              </ul>
            )}
            <ShowMore shown={items.length} total={total} onMore={more} />
          </>
        )}
      </ResourceView>
      {isAsked && <MakeKey onClose={() => setIsAsked(false)} />}
    </Screen>
  );
}

function MakeKey({ onClose }: { readonly onClose: () => void }) {
  const { client } = useApp();
  const [, navigate] = useLocation();
  return (
    <FormSheet
      title="Make a key"
      does="Make it"
      onDo={async (form) => {
        const label = typedIn(form, 'label') ?? '';
        const { key } = await client.keys.create({ body: { label } });
        navigate(`/keys/${key.id}`);
        onClose();
      }}
      onClose={onClose}
    >
      <TextField name="label" says="Name" isNeeded charactersMax={64} />
    </FormSheet>
  );
}
