/*
 * One entry of the audit log, in words, opened to all that is known of it.
 */
import { Link } from 'wouter-preact';
import { CopyButton } from '../parts/copyable.tsx';
import { FactList } from '../parts/fact-list.tsx';
import type { Entry } from '../screens/audit.tsx';
import { formatAction } from '../text/audit-words.ts';
import { formatClock } from '../text/time-words.ts';

/* What an action is about, by the beginning of its name, and where that is shown. */
const places: Readonly<Record<string, string>> = {
  run: '/runs',
  connection: '/hosts',
  key: '/keys',
  thread: '/threads',
  approval: '/approvals',
  ask: '/asks',
};

export interface AuditEntryProps {
  readonly entry: Entry;
  /* Of the device or token that did it, as it is called now. */
  readonly name: string | undefined;
}

export function AuditEntry({ entry, name: known }: AuditEntryProps) {
  const { action, actor, target, ip, at, detail, trace_id: traceId } = entry;
  const place = places[action.split('.', 1)[0] ?? ''];
  const { who, command, ...rest } = detail;
  const called = typeof who === 'string' ? who : known;
  const name = called ?? newDevice(entry) ?? actor;
  return (
    <li>
      <details class="entry">
        <summary class="row">
          <time dateTime={at}>{formatClock(Date.parse(at))}</time>
          <span>
            <span class="what">
              {typeof command === 'string' ? <code>{command}</code> : formatAction(action)}
            </span>
            <span class="facts">
              {typeof command === 'string' && `${formatAction(action)} · `}
              {name}
              {ip !== null && ` · ${ip}`}
            </span>
          </span>
        </summary>
        <div class="entry-facts">
          <FactList
            facts={[
              ['Action', <code key="action">{action}</code>],
              ['Who', called === undefined ? name : `${called} (${actor})`],
              [
                'What it was done to',
                target === null ? undefined : place === undefined ? (
                  <code>{target}</code>
                ) : (
                  <Link class="link" href={`${place}/${target}`}>
                    <code>{target}</code>
                  </Link>
                ),
              ],
              ['From', ip ?? undefined],
              ['When', new Date(at).toLocaleString()],
              ...Object.entries(rest).map(([key, value]) => [key, textOf(value)] as const),
            ]}
          />
          {traceId !== null && <CopyButton text={traceId} says="Copy the trace id" />}
        </div>
      </details>
    </li>
  );
}

/* Who signs in is no device yet: the actor is the way, such as a link. */
function newDevice({ actor, detail: { device } }: Entry): string | undefined {
  return typeof device === 'string' ? `${device}, by ${actor}` : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
