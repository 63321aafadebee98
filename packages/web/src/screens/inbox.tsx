/*
 * What needs you, in a fixed order: decisions, questions, what failed, changed host keys; what holds everything up; then what is done
 * and was not looked at, hosts that were lost, and what works meanwhile. One snapshot of the gateway's, taken again when something in
 * the account has changed. What was seen is kept by the gateway, so all devices show the same.
 */
import { lazy, Suspense } from 'preact/compat';
import { useMemo } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { type Inbox, type InboxListProps, InboxNeeds } from '../approvals/inbox-needs.tsx';
import { InboxRest, WorkingRow } from '../approvals/inbox-rest.tsx';
import { useHostNames } from '../approvals/use-host-names.ts';
import { useWhyNot } from '../approvals/use-may-decide.ts';
import { useNow } from '../data/use-now.ts';
import { createResource } from '../data/resource.ts';
import { useRefreshWhile } from '../data/use-refresh-while.ts';
import { ResourceView } from '../parts/resource-view.tsx';
import { Empty, Group } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { Link } from 'wouter-preact';
import { useRefreshOn } from '../state/feed.ts';
import { formatClock } from '../text/time-words.ts';

/* For devices that were not asked yet. Without it the inbox is as good, so a file that cannot be had is no fault of the screen. */
const OfferPush = lazy(async () => {
  try {
    return (await import('../notifications/offer-push.tsx')).OfferPush;
  } catch {
    return () => null;
  }
});

/* What changes it. */
const changes = [
  'approval_',
  'ask_',
  'turn_',
  'notice',
  'connection_',
  'session_',
  'seen',
  'thread_',
];
/* How often what the agents do now is looked at. */
const stepsMs = 15_000;
/* How often the time that something takes is told again. */
const tickMs = 10_000;
/* With nothing to do, the first of what works. */
const workingMax = 3;

export function InboxScreen() {
  const app = useApp();
  const { client, connection, feed } = app;
  const inbox = useMemo(
    () => createResource(app, () => client.inbox.get(), { key: 'inbox-2' }),
    [app, client],
  );
  useRefreshOn(feed, changes, inbox);
  useRefreshWhile(inbox, (inbox.value.value?.counts.working ?? 0) > 0, stepsMs);
  const nowMs = useNow(tickMs);
  const whyNot = useWhyNot();
  const isSure =
    connection.canAct.value && inbox.problem.value === undefined && !inbox.isKept.value;
  const asOfMs = isSure ? undefined : inbox.asOfMs.value;
  return (
    <Screen title="Inbox" actions={<AllLink />}>
      <ResourceView resource={inbox}>
        {(known) => (
          <Shown
            inbox={known}
            asOfMs={asOfMs}
            nowMs={nowMs}
            whyNot={whyNot}
            onSeen={() => void inbox.refresh()}
          />
        )}
      </ResourceView>
    </Screen>
  );
}

function AllLink() {
  return (
    <Link class="button plain" href="/approvals">
      Decided
    </Link>
  );
}

function Shown(props: {
  readonly inbox: Inbox;
  /* What may have changed since. Undefined: it is so now. */
  readonly asOfMs: number | undefined;
  readonly nowMs: number;
  readonly whyNot: string | undefined;
  readonly onSeen: () => void;
}) {
  const { inbox, asOfMs, nowMs, whyNot, onSeen } = props;
  const { preferences } = useApp();
  const hostName = useHostNames(inbox);
  const isIdle = inbox.counts.needs_you === 0 && inbox.counts.holds === 0;
  const list = { inbox, nowMs, hostName };
  // After whatever waits. By its key it is the same one in both places, with what is typed in it.
  const offer = !preferences.wasOfferedPush.value && (
    <Suspense key="offer" fallback={null}>
      <OfferPush />
    </Suspense>
  );
  return (
    <>
      {whyNot !== undefined && (
        <p class="said-here" role="status">
          {whyNot}
        </p>
      )}
      {isIdle && <NothingNeedsYou {...list} asOfMs={asOfMs} />}
      {isIdle && offer}
      <InboxNeeds {...list} isOff={whyNot !== undefined} />
      <InboxRest {...list} whyNot={whyNot} onSeen={onSeen} hidesWorking={isIdle} />
      {!isIdle && offer}
    </>
  );
}

/* What needs you now, nobody knows of an inbox that is old. */
function NothingNeedsYou({
  inbox,
  asOfMs,
  nowMs,
  hostName,
}: InboxListProps & { readonly asOfMs: number | undefined }) {
  const { working } = inbox.counts;
  const title =
    asOfMs === undefined ? 'Nothing needs you' : `Nothing needed you at ${formatClock(asOfMs)}`;
  const count = working === 1 ? '1 thread working' : `${working} threads working`;
  return (
    <>
      <Empty title={title}>
        {working === 0 ? (
          <Link class="button main" href="/new">
            Start a thread
          </Link>
        ) : (
          <p>{count}</p>
        )}
      </Empty>
      {working > 0 && (
        <Group title="Working" count={working}>
          {inbox.working.slice(0, workingMax).map((one) => (
            <WorkingRow key={one.turn_id} one={one} nowMs={nowMs} hostName={hostName} />
          ))}
        </Group>
      )}
    </>
  );
}
