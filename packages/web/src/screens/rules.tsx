/*
 * Programs that agents run unasked, because you allowed them for ever. A rule is added where a command is decided, and taken back here.
 */
import { useState } from 'preact/hooks';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import { useApp } from '../app-context.ts';
import { usePages } from '../data/use-pages.ts';
import { Confirm } from '../parts/confirm.tsx';
import { SwitchField } from '../parts/fields.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { Badge, Empty, Row } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { useKept } from '../parts/use-kept.ts';
import { formatAgo } from '../text/time-words.ts';

type Rule = AnswerOf<Api['approvalRules']['list']>['items'][number];

export function RulesScreen() {
  const { client } = useApp();
  const [isAll, setIsAll] = useKept('all', false);
  const revoked = isAll ? 'true' : 'false';
  const { resource, more } = usePages(
    `rules/${revoked}`,
    (query) => client.approvalRules.list({ query: { ...query, revoked } }),
    ['approval_'],
  );
  return (
    <Screen title="Approval rules" back={{ to: '/more', name: 'More' }}>
      <SwitchField
        name="revoked"
        says="Show those that were taken back"
        isOn={isAll}
        onTurn={setIsAll}
      />
      <ResourceView resource={resource}>
        {({ items, total }) => (
          <>
            {items.length === 0 ? (
              <Empty title="No rule">
                <p>
                  When you allow a command “always”, its program is listed here, and is no longer
                  asked about.
                </p>
              </Empty>
            ) : (
              <ul class="rows">
                {items.map((rule) => (
                  <RuleRow key={rule.id} rule={rule} onChanged={() => resource.refresh()} />
                ))}
              </ul>
            )}
            <ShowMore shown={items.length} total={total} onMore={more} />
          </>
        )}
      </ResourceView>
    </Screen>
  );
}

function RuleRow({ rule, onChanged }: { rule: Rule; onChanged: () => Promise<void> }) {
  const { client, gatewayTime } = useApp();
  const [isAsked, setIsAsked] = useState(false);
  const { id, program, file, uses, addedAt, revokedAt, runsAnything } = rule;
  const nowMs = gatewayTime.nowMs();
  return (
    <Row
      what={<code>{program}</code>}
      facts={
        <>
          {file}
          <br />
          {uses === 1 ? 'used once' : `used ${uses} times`} · allowed{' '}
          {formatAgo(Date.parse(addedAt), nowMs)}
          {runsAnything && ' · runs anything'}
        </>
      }
      after={
        revokedAt === null ? (
          <>
            <button
              type="button"
              class="button small"
              aria-label={`Take back ${program}`}
              onClick={() => setIsAsked(true)}
            >
              Take back
            </button>
            {isAsked && (
              <Confirm
                title={`Ask about ${program} again?`}
                does="Take the rule back"
                onDo={async () => {
                  await client.approvalRules.revoke({ params: { id } });
                  await onChanged();
                }}
                onClose={() => setIsAsked(false)}
              >
                <p>From the next command on, you are asked before it runs.</p>
              </Confirm>
            )}
          </>
        ) : (
          <Badge mood="plain">taken back</Badge>
        )
      }
    />
  );
}
