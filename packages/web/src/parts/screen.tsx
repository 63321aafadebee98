/*
 * One screen: a head with its name, one scroller, and what stands below it. There is one h1. The name has the focus when a person comes to the
 * screen, so that it is read aloud and the keyboard goes on from there.
 */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { wayBack } from '../state/visits.ts';
import { Icon } from './icon.tsx';
import { useFinding } from './finding.ts';
import { usePageTitle } from './page-title.ts';
import { useScreenPlace } from './screen-place.ts';
import { useTitleFocus } from './title-focus.ts';
import { useKeptScroll } from './use-kept.ts';

export interface ScreenProps {
  readonly title: string;
  /* For the browser's title and its history, where no text of a person belongs; absent: the title. */
  readonly kind?: string;
  /* Where its back button leads; absent on the five places. */
  readonly back?: { readonly to: string; readonly name: string };
  readonly actions?: ComponentChildren;
  readonly foot?: ComponentChildren;
  /* `itself`: its content is the scroller. */
  readonly scrolls?: 'itself';
  readonly children: ComponentChildren;
}

export function Screen({ title, kind, back, actions, foot, scrolls, children }: ScreenProps) {
  const place = useScreenPlace();
  const find = useFinding();
  const scroller = useRef<HTMLDivElement>(null);
  useKeptScroll(scroller);
  const isList = place.kind === 'list';
  const heading = useTitleFocus();
  usePageTitle(isList ? undefined : (kind ?? title));
  const isBackBeside = place.kind === 'detail' && place.listAt === back?.to;
  // Beside a detail the list is the lesser one: there is one main part, and one h1.
  const [Part, Title] = isList ? (['section', 'h2'] as const) : (['main', 'h1'] as const);
  return (
    <Part class="screen" {...(isList ? { 'aria-label': title } : {})}>
      <header class={back === undefined ? 'head large' : 'head'}>
        {back !== undefined && !isBackBeside && (
          <Link
            class="icon-button"
            href={back.to}
            state={wayBack}
            aria-label={`Back to ${back.name}`}
          >
            <Icon name="back" />
          </Link>
        )}
        <Title ref={heading} class="title" tabIndex={-1}>
          {title}
        </Title>
        {actions}
        {back === undefined && find !== undefined && (
          <button type="button" class="icon-button" aria-label="Find anything" onClick={find}>
            <Icon name="find" />
          </button>
        )}
      </header>
      {scrolls === 'itself' ? (
        children
      ) : (
        // Also where nothing in it takes the focus, keys scroll it.
        <div ref={scroller} class="scroller" tabIndex={0}>
          {children}
        </div>
      )}
      {foot}
    </Part>
  );
}
