/*
 * One screen: a head with its name, one scroller, and what stands below it. There is one h1, and it has the focus when the screen
 * comes, so that it is read aloud.
 */
import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import { Icon } from './icon.tsx';

export interface ScreenProps {
  readonly title: string;
  /* Where its back button leads; absent on the five places. */
  readonly back?: { readonly to: string; readonly name: string };
  readonly actions?: ComponentChildren;
  readonly foot?: ComponentChildren;
  /* `itself`: its content is the scroller. */
  readonly scrolls?: 'itself';
  readonly children: ComponentChildren;
}

export function Screen({ title, back, actions, foot, scrolls, children }: ScreenProps) {
  return (
    <main class="screen">
      <header class={back === undefined ? 'head large' : 'head'}>
        {back !== undefined && (
          <Link class="icon-button" href={back.to} aria-label={`Back to ${back.name}`}>
            <Icon name="back" />
          </Link>
        )}
        <h1>{title}</h1>
        {actions}
      </header>
      {scrolls === 'itself' ? children : <div class="scroller">{children}</div>}
      {foot}
    </main>
  );
}
