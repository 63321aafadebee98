/*
 * What is around every screen: the five places at the bottom, or at the side of a wide window.
 */
import type { ComponentChildren } from 'preact';
import { Link, useLocation } from 'wouter-preact';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Strip } from './strip.tsx';

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
    below: ['/hosts', '/keys', '/devices', '/audit', '/settings'],
  },
];

export function Frame({ children }: { readonly children: ComponentChildren }) {
  const [location] = useLocation();
  return (
    <div class="frame">
      <Strip />
      {children}
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
    </div>
  );
}

function isAt({ to, below }: Place, location: string): boolean {
  return (
    location === to || below.some((path) => location === path || location.startsWith(`${path}/`))
  );
}
