/*
 * Tokens for programs: a part of what you may do. A token is shown once, when it is made.
 */
import { useState } from 'preact/hooks';
import { type AnswerOf, type Api, type Scope, scopes } from '@clawdfather/protocol/api';
import { useApp } from '../app-context.ts';
import { usePages } from '../data/use-pages.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Copyable } from '../parts/copyable.tsx';
import { SwitchField, TextField, typedIn } from '../parts/fields.tsx';
import { FormSheet } from '../parts/form-sheet.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { Empty, Row } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { formatAgo, formatDay } from '../text/time-words.ts';

type Token = AnswerOf<Api['tokens']['list']>['items'][number];

const scopeWords: Readonly<Record<Scope, string>> = {
  read: 'Look at runs, threads and sessions',
  run: 'Start, feed and end runs and threads',
  approve: 'Decide about commands that wait for a person',
  admin: 'Keys, hosts, settings and the audit log',
};

export function TokensScreen() {
  const { client } = useApp();
  const [isMaking, setIsMaking] = useState(false);
  const { resource, more } = usePages('tokens', (query) => client.tokens.list({ query }));
  return (
    <Screen
      title="Tokens"
      back={{ to: '/more', name: 'More' }}
      foot={
        <div class="foot">
          <button type="button" class="button main" onClick={() => setIsMaking(true)}>
            Make a token
          </button>
        </div>
      }
    >
      <ResourceView resource={resource}>
        {({ items, total }) => (
          <>
            {items.length === 0 ? (
              <Empty title="No token yet">
                <p>
                  A token lets a program use this gateway with a part of your rights: a script, an
                  editor, an agent.
                </p>
              </Empty>
            ) : (
              <ul class="rows">
                {items.map((token) => (
                  <TokenRow key={token.id} token={token} onChanged={() => resource.refresh()} />
                ))}
              </ul>
            )}
            <ShowMore shown={items.length} total={total} onMore={more} />
          </>
        )}
      </ResourceView>
      {isMaking && (
        <MakeToken onMade={() => resource.refresh()} onClose={() => setIsMaking(false)} />
      )}
    </Screen>
  );
}

function TokenRow({
  token,
  onChanged,
}: {
  readonly token: Token;
  readonly onChanged: () => Promise<void>;
}) {
  const { client, gatewayTime } = useApp();
  const [isAsked, setIsAsked] = useState(false);
  const { id, label, last_used_at: usedAt, expires_at: endsAt } = token;
  const used =
    usedAt === null ? 'never used' : `used ${formatAgo(Date.parse(usedAt), gatewayTime.nowMs())}`;
  return (
    <Row
      what={label}
      facts={`${token.scopes.join(', ')} · ${used} · until ${formatDay(Date.parse(endsAt))}`}
      after={
        <>
          <button
            type="button"
            class="button small"
            aria-label={`Revoke ${label}`}
            onClick={() => setIsAsked(true)}
          >
            Revoke
          </button>
          {isAsked && (
            <Confirm
              title={`Revoke ${label}?`}
              does="Revoke it"
              onDo={async () => {
                await client.tokens.revoke({ params: { id } });
                await onChanged();
              }}
              onClose={() => setIsAsked(false)}
            >
              <p>
                The program that uses it is refused from now on, and what it asks for and waits for
                a decision is denied. Runs that it started go on.
              </p>
            </Confirm>
          )}
        </>
      }
    />
  );
}

function MakeToken({
  onMade,
  onClose,
}: {
  readonly onMade: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const { client } = useApp();
  const [made, setMade] = useState<{ token: string; endsAt: string } | undefined>(undefined);
  if (made !== undefined) {
    return (
      <Sheet title="Copy it now" onClose={onClose}>
        <p>It is shown this once and cannot be shown again.</p>
        <Copyable text={made.token} name="Token" />
        <p class="quiet">
          It ends after 30 days without use, and on {formatDay(Date.parse(made.endsAt))} in any
          case.
        </p>
        <button type="button" class="button main" onClick={onClose}>
          I have it
        </button>
      </Sheet>
    );
  }
  const make = async (form: FormData): Promise<void> => {
    const label = typedIn(form, 'label') ?? '';
    const chosen = scopes.filter((scope) => form.has(scope));
    const { token, expires_at: endsAt } = await client.tokens.create({
      body: { label, scopes: chosen },
    });
    setMade({ token, endsAt });
    await onMade();
  };
  return (
    <FormSheet title="Make a token" does="Make it" onDo={make} onClose={onClose}>
      <TextField
        name="label"
        says="Name"
        isNeeded
        charactersMax={64}
        hint="Which program is it for?"
      />
      <fieldset>
        <legend>What it may do</legend>
        {scopes.map((scope) => (
          <SwitchField
            key={scope}
            name={scope}
            says={scopeWords[scope]}
            hint={scope}
            isOn={scope === 'read'}
          />
        ))}
      </fieldset>
    </FormSheet>
  );
}
