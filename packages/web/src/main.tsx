/*
 * Opens the app and shows it.
 */
import { render } from 'preact';
import { App } from './app.tsx';
import { AppContext } from './app-context.ts';
import { openApp } from './open-app.ts';
import { keepAppearance } from './shell/appearance.ts';
import { keepVisibleHeight } from './shell/visible-height.ts';
import './styles/index.css';

const parts = openApp(window);
keepAppearance(document.documentElement, parts.preferences);
keepVisibleHeight(window);

const place = document.getElementById('app');
if (place !== null) {
  render(
    <AppContext.Provider value={parts}>
      <App />
    </AppContext.Provider>,
    place,
  );
}
