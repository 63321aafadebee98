/*
 * Joins the app and shows it.
 */
import { render } from 'preact';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { createClient } from '@clawdfather/sdk';
import { App } from './app.tsx';
import { AppContext } from './app-context.ts';
import { createMembership } from './state/membership.ts';
import { openFeed } from './state/feed.ts';
import { keepVisibleHeight } from './shell/visible-height.ts';
import './styles/index.css';

const client = createClient({ baseUrl: location.origin });
const clock = createSystemClock();
const random = createSystemRandom();
const membership = createMembership(client);
const parts = {
  client,
  clock,
  random,
  membership,
  feed: openFeed({ client, clock, random, membership }),
};

keepVisibleHeight(window);
void membership.ask();

const place = document.getElementById('app');
if (place !== null) {
  render(
    <AppContext.Provider value={parts}>
      <App />
    </AppContext.Provider>,
    place,
  );
}
