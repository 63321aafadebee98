/*
 * Which screen is shown: by the address, and by whether somebody is signed in.
 */
import { Redirect, Route, Switch } from 'wouter-preact';
import { useApp } from './app-context.ts';
import { Frame } from './shell/frame.tsx';
import { AuditScreen } from './screens/audit.tsx';
import { DevicesScreen } from './screens/devices.tsx';
import { GetInScreen } from './screens/get-in.tsx';
import { MoreScreen } from './screens/more.tsx';
import { RunScreen } from './screens/run.tsx';
import { RunsScreen } from './screens/runs.tsx';

export function App() {
  const { membership } = useApp();
  const standing = membership.standing.value;
  if (standing.kind !== 'in') return <GetInScreen standing={standing} />;
  return (
    <Frame>
      <Switch>
        <Route path="/runs/:id">{({ id }) => <RunScreen key={id} id={id} />}</Route>
        <Route path="/runs" component={RunsScreen} />
        <Route path="/more" component={MoreScreen} />
        <Route path="/devices" component={DevicesScreen} />
        <Route path="/audit" component={AuditScreen} />
        <Route>
          <Redirect to="/runs" replace />
        </Route>
      </Switch>
    </Frame>
  );
}
