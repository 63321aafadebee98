/*
 * What is around every screen: the five places at the bottom, or at the side of a wide window, where the list stands beside what is open.
 */
import type { ComponentChildren, ComponentType } from 'preact';
import { lazy, Suspense } from 'preact/compat';
import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { FindingContext } from '../parts/finding.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { usePageTitle } from '../parts/page-title.ts';
import { ScreenPlaceContext } from '../parts/screen-place.ts';
import { type Beside, besideOf, useIsWide } from './beside.ts';
import { type Shortcut, stepToRow, useShortcuts } from './shortcuts.ts';
import { Strip } from './strip.tsx';

/* Loaded when they are first asked for. */
const Palette = lazy(async () => (await import('./palette.tsx')).Palette);
const ConfirmSignOut = lazy(
  async () => (await import('../parts/confirm-sign-out.tsx')).ConfirmSignOut,
);
const ShortcutsSheet = lazy(async () => (await import('./shortcuts-sheet.tsx')).ShortcutsSheet);

interface Place {
  readonly to: string;
  readonly name: string;
  readonly icon: IconName;
  /* Addresses below it belong to it, too. */
  readonly below: readonly string[];
}

const places: readonly Place[] = [
  { to: '/inbox', name: 'Inbox', icon: 'inbox', below: ['/approvals', '/asks'] },
  { to: '/threads', name: 'Threads', icon: 'threads', below: ['/threads'] },
  { to: '/new', name: 'New', icon: 'plus', below: [] },
  { to: '/runs', name: 'Runs', icon: 'runs', below: ['/runs'] },
  {
    to: '/more',
    name: 'More',
    icon: 'more',
    below: [
      '/hosts',
      '/keys',
      '/sessions',
      '/agents',
      '/queue',
      '/rules',
      '/devices',
      '/tokens',
      '/audit',
      '/system',
      '/settings',
      '/storage',
      '/notifications',
    ],
  },
];

export interface FrameProps {
  /* The screens that are lists, by their addresses. */
  readonly lists: Readonly<Record<Beside['listAt'], ComponentType>>;
  readonly children: ComponentChildren;
}

type Open = 'palette' | 'keys' | undefined;

export function Frame({ lists, children }: FrameProps) {
  const [location, navigate] = useLocation();
  const [open, setOpen] = useState<Open>(undefined);
  /* What signing out would lose. */
  const [loss, setLoss] = useState<string | undefined>(undefined);
  const isWide = useIsWide();
  const beside = isWide ? besideOf(location) : undefined;
  const close = (): void => setOpen(undefined);
  useShortcuts((shortcut: Shortcut) => {
    if (shortcut.kind === 'find') setOpen('palette');
    if (shortcut.kind === 'help') setOpen('keys');
    if (shortcut.kind === 'go') navigate(shortcut.to);
    if (shortcut.kind === 'row') stepToRow(document, shortcut.step);
  });
  return (
    <FindingContext.Provider value={() => setOpen('palette')}>
      <div class={beside === undefined ? 'frame' : 'frame two'}>
        <Strip />
        {beside === undefined ? (
          children
        ) : (
          <Two beside={beside} List={lists[beside.listAt]}>
            {children}
          </Two>
        )}
        <nav class="places" aria-label="Places">
          {places.map((place) => (
            <Link
              key={place.to}
              href={place.to}
              class={place.to === '/new' ? 'begin' : undefined}
              aria-current={isAt(place, location) ? 'page' : undefined}
            >
              <Icon name={place.icon} />
              <span class={place.to === '/new' ? 'only-read-aloud' : undefined}>{place.name}</span>
            </Link>
          ))}
        </nav>
        <Suspense fallback={null}>
          {open === 'palette' && <Palette onClose={close} onLoss={setLoss} />}
          {loss !== undefined && <ConfirmSignOut loss={loss} onClose={() => setLoss(undefined)} />}
          {open === 'keys' && <ShortcutsSheet onClose={close} />}
        </Suspense>
      </div>
    </FindingContext.Provider>
  );
}

const nothingOpen: Readonly<Record<Beside['listAt'], string>> = {
  '/inbox': 'What you choose opens here.',
  '/threads': 'Choose a thread, or start one with n.',
  '/runs': 'Choose a run to read it here.',
  '/hosts': 'Choose a host to see it here.',
  '/keys': 'Choose a key to see it here.',
};

function Two({
  beside: { listAt, isListItself },
  List,
  children,
}: {
  readonly beside: Beside;
  readonly List: ComponentType;
  readonly children: ComponentChildren;
}) {
  const name = `${listAt.slice(1, 2).toUpperCase()}${listAt.slice(2)}`;
  usePageTitle(isListItself ? name : undefined);
  return (
    <>
      <div class="side">
        <ScreenPlaceContext.Provider value={{ kind: 'list', listAt }}>
          <Suspense fallback={null}>
            <List />
          </Suspense>
        </ScreenPlaceContext.Provider>
      </div>
      {isListItself ? (
        <main class="screen nothing-open">
          <h1 class="only-read-aloud">{name}</h1>
          <p>{nothingOpen[listAt]}</p>
        </main>
      ) : (
        <ScreenPlaceContext.Provider value={{ kind: 'detail', listAt }}>
          {children}
        </ScreenPlaceContext.Provider>
      )}
    </>
  );
}

function isAt({ to, below }: Place, location: string): boolean {
  return (
    location === to || below.some((path) => location === path || location.startsWith(`${path}/`))
  );
}
