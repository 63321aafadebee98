/*
 * Everything that was asked, open and decided, with who decided it.
 */
import { useApp } from '../app-context.ts';
import { type Approval, outcomeOf, outcomeOfAsk } from '../approvals/outcome-words.ts';
import type { Ask } from '../text/thread-words.ts';
import { commandText } from '../approvals/shown-command.ts';
import { formatWhen, useWho } from '../approvals/use-who.ts';
import { useResource } from '../data/use-resource.ts';
import { ResourceView } from '../parts/resource-view.tsx';
import { Badge, Empty, Group, Row } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { formatAgo } from '../text/time-words.ts';

/* As many as anybody looks through on a phone; the audit log has all. */
const shownMax = 50;

/* Only what a row shows: it is kept on the device, and the input and the environment of a command may hold secrets. */
interface Asked {
  readonly id: string;
  readonly to: string;
  readonly what: string;
  readonly by: string;
  readonly askedAt: string;
  readonly decidedBy: string | null;
  readonly decidedAt: string | null;
  readonly came:
    | ({ readonly of: 'approval' } & Pick<Approval, 'state' | 'changed' | 'askedAgainAs'>)
    | ({ readonly of: 'ask' } & Pick<Ask, 'state' | 'answer_kind'>);
}

export function ApprovalsScreen() {
  const { client, gatewayTime } = useApp();
  const all = useResource('approvals-2', async () => {
    const [approvals, asks] = await Promise.all([
      client.approvals.list({ query: { limit: shownMax } }),
      client.asks.list({ query: { state: 'all' } }),
    ]);
    const asked = [
      ...approvals.items.map(ofApproval),
      ...asks.items.slice(-shownMax).filter(isForPeople).map(ofAsk),
    ];
    return asked.sort((one, other) => Date.parse(other.askedAt) - Date.parse(one.askedAt));
  }, ['approval_', 'ask_']);
  const who = useWho(true);
  return (
    <Screen title="Approvals" back={{ to: '/inbox', name: 'Inbox' }}>
      <ResourceView resource={all}>
        {(asked) => {
          const nowMs = gatewayTime.nowMs();
          const rows = asked.map((one) => ({
            one,
            outcome: outcomeOfAsked(one, who(one.decidedBy), formatWhen(one.decidedAt, nowMs)),
          }));
          const open = rows.filter(({ outcome }) => outcome === undefined);
          const over = rows.filter(({ outcome }) => outcome !== undefined);
          if (rows.length === 0) return <Empty title="Nothing was asked yet" />;
          return (
            <>
              {open.length > 0 && (
                <Group title="Open" count={open.length}>
                  {open.reverse().map(({ one }) => (
                    <Row
                      key={one.id}
                      to={one.to}
                      what={one.what}
                      facts={`${one.by} · ${formatAgo(Date.parse(one.askedAt), nowMs)}`}
                      after={<Badge mood="waiting">waits</Badge>}
                    />
                  ))}
                </Group>
              )}
              {over.length > 0 && (
                <div class="whole-facts">
                  <Group title="Decided">
                    {over.map(({ one, outcome }) => (
                      <Row
                        key={one.id}
                        to={one.to}
                        what={one.what}
                        facts={outcome?.text}
                        after={<Badge mood={outcome?.mood ?? 'plain'}>{outcome?.word}</Badge>}
                      />
                    ))}
                  </Group>
                </div>
              )}
            </>
          );
        }}
      </ResourceView>
    </Screen>
  );
}

function outcomeOfAsked({ came }: Asked, who: string, at: string) {
  return came.of === 'approval' ? outcomeOf(came, who, at) : outcomeOfAsk(came, who, at);
}

function ofApproval(approval: Approval): Asked {
  const { id, requester, askedWith, createdAt, decidedBy, decidedAt } = approval;
  const { state, changed, askedAgainAs } = approval;
  return {
    id,
    to: `/approvals/${id}`,
    what: commandText(approval),
    by: askedWith ?? requester,
    askedAt: createdAt,
    decidedBy,
    decidedAt,
    came: { of: 'approval', state, changed, askedAgainAs },
  };
}

/* What was seen to without asking a person was never on anybody's screen. */
function isForPeople({ class: kind, decided_by: by, state }: Ask): boolean {
  return kind !== 'effect' || by !== null || state === 'open';
}

function ofAsk(ask: Ask): Asked {
  return {
    id: ask.id,
    to: `/asks/${ask.id}`,
    what: ask.title,
    by: ask.agent,
    askedAt: ask.asked_at,
    decidedBy: ask.decided_by,
    decidedAt: ask.decided_at,
    came: { of: 'ask', state: ask.state, answer_kind: ask.answer_kind },
  };
}
