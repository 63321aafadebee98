/*
 * Which screen is shown: by the address, and by whether somebody is signed in.
 */
import { lazy, Suspense } from 'preact/compat';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter-preact';
import { useApp } from './app-context.ts';
import { Boundary } from './shell/boundary.tsx';
import { Frame } from './shell/frame.tsx';
import { Empty } from './parts/rows.tsx';
import { Screen } from './parts/screen.tsx';
import { GetInScreen } from './screens/get-in.tsx';
import { InboxScreen } from './screens/inbox.tsx';
import { ThreadsScreen } from './screens/threads.tsx';

/* The inbox leads there. */
const ApprovalScreen = lazy(async () => (await import('./screens/approval.tsx')).ApprovalScreen);
const AskScreen = lazy(async () => (await import('./screens/approval.tsx')).AskScreen);
const ApprovalsScreen = lazy(async () => (await import('./screens/approvals.tsx')).ApprovalsScreen);
/* What it shares with a conversation comes with the first screen (build/app-config.ts). */
const NewThreadScreen = lazy(
  async () => (await import('./screens/new-thread.tsx')).NewThreadScreen,
);
/* With what draws Markdown; only a conversation needs it. */
const ChangesScreen = lazy(async () => (await import('./screens/changes.tsx')).ChangesScreen);
const ThreadScreen = lazy(async () => (await import('./screens/thread.tsx')).ThreadScreen);

/* What is not looked at every day is loaded when it is opened. */
const SettingsScreen = lazy(async () => (await import('./screens/settings.tsx')).SettingsScreen);
const StorageScreen = lazy(async () => (await import('./screens/storage.tsx')).StorageScreen);
const AgentsScreen = lazy(async () => (await import('./screens/agents.tsx')).AgentsScreen);
const AuditScreen = lazy(async () => (await import('./screens/audit.tsx')).AuditScreen);
const DevicesScreen = lazy(async () => (await import('./screens/devices.tsx')).DevicesScreen);
const HostScreen = lazy(async () => (await import('./screens/host.tsx')).HostScreen);
const HostsScreen = lazy(async () => (await import('./screens/hosts.tsx')).HostsScreen);
const KeyScreen = lazy(async () => (await import('./screens/key.tsx')).KeyScreen);
const KeysScreen = lazy(async () => (await import('./screens/keys.tsx')).KeysScreen);
const NewHostScreen = lazy(async () => (await import('./screens/new-host.tsx')).NewHostScreen);
const NewRunScreen = lazy(async () => (await import('./screens/new-run.tsx')).NewRunScreen);
const MoreScreen = lazy(async () => (await import('./screens/more.tsx')).MoreScreen);
const NotificationsScreen = lazy(
  async () => (await import('./screens/notifications.tsx')).NotificationsScreen,
);
const QueueScreen = lazy(async () => (await import('./screens/queue.tsx')).QueueScreen);
const RulesScreen = lazy(async () => (await import('./screens/rules.tsx')).RulesScreen);
const RunScreen = lazy(async () => (await import('./screens/run.tsx')).RunScreen);
const RunsScreen = lazy(async () => (await import('./screens/runs.tsx')).RunsScreen);
const SessionsScreen = lazy(async () => (await import('./screens/sessions.tsx')).SessionsScreen);
const SystemScreen = lazy(async () => (await import('./screens/system.tsx')).SystemScreen);
const TokensScreen = lazy(async () => (await import('./screens/tokens.tsx')).TokensScreen);

/* Beside what is open, in a wide window. */
const lists = {
  '/inbox': InboxScreen,
  '/threads': ThreadsScreen,
  '/runs': RunsScreen,
  '/hosts': HostsScreen,
  '/keys': KeysScreen,
} as const;

export function App() {
  const { membership } = useApp();
  const [location] = useLocation();
  const standing = membership.standing.value;
  if (standing.kind !== 'in') return <GetInScreen standing={standing} />;
  return (
    <Frame lists={lists}>
      <Boundary key={location}>
        <Suspense fallback={<main class="screen" />}>
          <Switch>
            <Route path="/inbox" component={InboxScreen} />
            <Route path="/threads/:id/changes/:turn">
              {({ id, turn }) => <ChangesScreen key={turn} threadId={id} turnId={turn} />}
            </Route>
            <Route path="/approvals/:id">{({ id }) => <ApprovalScreen key={id} id={id} />}</Route>
            <Route path="/approvals" component={ApprovalsScreen} />
            <Route path="/asks/:id">{({ id }) => <AskScreen key={id} id={id} />}</Route>
            <Route path="/threads/:id">{({ id }) => <ThreadScreen key={id} id={id} />}</Route>
            <Route path="/threads" component={ThreadsScreen} />
            <Route path="/new" component={NewThreadScreen} />
            <Route path="/runs/new" component={NewRunScreen} />
            <Route path="/runs/:id">{({ id }) => <RunScreen key={id} id={id} />}</Route>
            <Route path="/runs" component={RunsScreen} />
            <Route path="/more" component={MoreScreen} />
            <Route path="/hosts/new" component={NewHostScreen} />
            <Route path="/hosts/:id">{({ id }) => <HostScreen key={id} id={id} />}</Route>
            <Route path="/hosts" component={HostsScreen} />
            <Route path="/keys/:id">{({ id }) => <KeyScreen key={id} id={id} />}</Route>
            <Route path="/keys" component={KeysScreen} />
            <Route path="/sessions" component={SessionsScreen} />
            <Route path="/agents" component={AgentsScreen} />
            <Route path="/queue" component={QueueScreen} />
            <Route path="/rules" component={RulesScreen} />
            <Route path="/devices" component={DevicesScreen} />
            <Route path="/tokens" component={TokensScreen} />
            <Route path="/notifications" component={NotificationsScreen} />
            <Route path="/audit" component={AuditScreen} />
            <Route path="/settings" component={SettingsScreen} />
            <Route path="/storage" component={StorageScreen} />
            <Route path="/system" component={SystemScreen} />
            <Route component={Elsewhere} />
          </Switch>
        </Suspense>
      </Boundary>
    </Frame>
  );
}

/* Where a sign-in begins; any other address is of nothing. */
function Elsewhere() {
  const [location] = useLocation();
  if (location === '/' || location === '/login') return <Redirect to="/inbox" replace />;
  return (
    <Screen title="Not found">
      <Empty title="There is nothing at this address">
        <p>It may be mistyped, or of another version of the app.</p>
        <Link class="button" href="/inbox">
          To the inbox
        </Link>
      </Empty>
    </Screen>
  );
}
