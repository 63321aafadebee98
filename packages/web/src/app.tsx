/*
 * Which screen is shown: by the address, and by whether somebody is signed in.
 */
import { lazy, Suspense } from 'preact/compat';
import { Redirect, Route, Switch } from 'wouter-preact';
import { useApp } from './app-context.ts';
import { Frame } from './shell/frame.tsx';
import { AuditScreen } from './screens/audit.tsx';
import { DevicesScreen } from './screens/devices.tsx';
import { GetInScreen } from './screens/get-in.tsx';
import { InboxScreen } from './screens/inbox.tsx';
import { MoreScreen } from './screens/more.tsx';
import { NewThreadScreen } from './screens/new-thread.tsx';
import { RunScreen } from './screens/run.tsx';
import { RunsScreen } from './screens/runs.tsx';
import { ThreadsScreen } from './screens/threads.tsx';

/* With what draws Markdown; only a conversation needs it. */
const ThreadScreen = lazy(async () => (await import('./screens/thread.tsx')).ThreadScreen);

export function App() {
  const { membership } = useApp();
  const standing = membership.standing.value;
  if (standing.kind !== 'in') return <GetInScreen standing={standing} />;
  return (
    <Frame>
      <Suspense fallback={<main class="screen" />}>
        <Switch>
          <Route path="/inbox" component={InboxScreen} />
          <Route path="/threads/:id">{({ id }) => <ThreadScreen key={id} id={id} />}</Route>
          <Route path="/threads" component={ThreadsScreen} />
          <Route path="/new" component={NewThreadScreen} />
          <Route path="/runs/:id">{({ id }) => <RunScreen key={id} id={id} />}</Route>
          <Route path="/runs" component={RunsScreen} />
          <Route path="/more" component={MoreScreen} />
          <Route path="/devices" component={DevicesScreen} />
          <Route path="/audit" component={AuditScreen} />
          <Route>
            <Redirect to="/inbox" replace />
          </Route>
        </Switch>
      </Suspense>
    </Frame>
  );
}
