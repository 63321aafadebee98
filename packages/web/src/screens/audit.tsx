/*
 * The audit log: who did what, to which thing, from where; newest first, by day. Older pages are read when they are asked for.
 */
import { useRef, useState } from 'preact/hooks';
import { type AnswerOf, type Api, auditActions } from '@clawdfather/protocol/api';
import { useApp } from '../app-context.ts';
import { useResource } from '../data/use-resource.ts';
import { AuditEntry } from '../lists/audit-entry.tsx';
import { ActNote } from '../parts/act-note.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { Empty } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { useKept, useVisit } from '../parts/use-kept.ts';
import { useAct } from '../data/use-act.ts';
import { formatAction } from '../text/audit-words.ts';
import { formatWholeDay } from '../text/time-words.ts';

export type Entry = AnswerOf<Api['audit']['list']>['entries'][number];

type Names = Readonly<Record<string, string>>;

interface Log {
  readonly entries: readonly Entry[];
  /* Of devices and tokens, by who an entry names. */
  readonly names: Names;
  readonly nextBefore: number | null;
}

const pageEntries = 50;
/* What one screen shows at most. */
const entriesMax = 1_000;

export function AuditScreen() {
  const [action, setAction] = useKept('action', '');
  const [target, setTarget] = useKept('target', '');
  return (
    <Screen title="Audit" back={{ to: '/more', name: 'More' }}>
      <form
        class="filters"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          const typed = new FormData(event.currentTarget).get('target');
          setTarget(typeof typed === 'string' ? typed.trim() : '');
        }}
      >
        <select
          aria-label="What was done"
          value={action}
          onChange={({ currentTarget }) => setAction(currentTarget.value)}
        >
          <option value="">Everything</option>
          {auditActions.map((each) => (
            <option key={each} value={each}>
              {formatAction(each)}
            </option>
          ))}
        </select>
        <input
          type="search"
          name="target"
          defaultValue={target}
          aria-label="Id of what it was done to"
          placeholder="Id of a run, host …"
          autocapitalize="off"
          autocomplete="off"
          spellcheck={false}
          maxLength={64}
        />
      </form>
      <AuditLog key={`${action} ${target}`} action={action} target={target} />
    </Screen>
  );
}

function AuditLog({ action, target }: { readonly action: string; readonly target: string }) {
  const { client } = useApp();
  const act = useAct();
  const older = useRef<Log | undefined>(undefined);
  const [, setTurn] = useState(0);
  const page = async (before?: number): Promise<Log> => {
    const found = await client.audit.list({
      query: {
        limit: pageEntries,
        ...(action === '' ? {} : { action }),
        ...(target === '' ? {} : { target }),
        ...(before === undefined ? {} : { before }),
      },
    });
    const { entries, names = {}, next_before: nextBefore } = found;
    return { entries, names, nextBefore };
  };
  const visit = useVisit();
  const opened = `entries of ${action} ${target}`;
  const wanted = (): number => Number(visit.get(opened) ?? pageEntries);
  const newest = useResource(`audit-2/${action}/${target}`, async () => {
    let log = await page();
    // Pages that were opened before are read again, for who comes back.
    while (log.nextBefore !== null && log.entries.length < wanted())
      log = joined(log, await page(log.nextBefore));
    return log;
  });
  const showOlder = async (before: number): Promise<void> => {
    const more = await page(before);
    older.current = older.current === undefined ? more : joined(older.current, more);
    visit.set(opened, wanted() + pageEntries);
    setTurn((turn) => turn + 1);
  };
  return (
    <ResourceView resource={newest}>
      {(read) => {
        const { entries, names, nextBefore } =
          older.current === undefined ? read : joined(read, older.current);
        return (
          <>
            <Days entries={entries} names={names} />
            {nextBefore !== null && entries.length < entriesMax && (
              <>
                <button
                  type="button"
                  class="button plain wide"
                  disabled={act.isOff}
                  onClick={() => void act.run(() => showOlder(nextBefore))}
                >
                  Show older
                </button>
                <ActNote act={act} />
              </>
            )}
          </>
        );
      }}
    </ResourceView>
  );
}

/* Each once: a page that is read again may reach into what is known. */
function joined(newer: Log, { entries, names, nextBefore }: Log): Log {
  const last = newer.entries.at(-1)?.seq ?? Number.POSITIVE_INFINITY;
  const older = entries.filter(({ seq }) => seq < last);
  return {
    entries: [...newer.entries, ...older],
    names: { ...names, ...newer.names },
    nextBefore,
  };
}

function Days({ entries, names }: { readonly entries: readonly Entry[]; readonly names: Names }) {
  if (entries.length === 0) {
    return (
      <Empty title="Nothing yet">
        <p>Sign-ins, commands, decisions and changes of keys and hosts are written down here.</p>
      </Empty>
    );
  }
  const days = new Map<string, Entry[]>();
  for (const entry of entries) {
    const day = formatWholeDay(Date.parse(entry.at));
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  return (
    <>
      {[...days].map(([day, items]) => (
        <section class="group" key={day}>
          <h2>{day}</h2>
          <ul class="rows">
            {items.map((entry) => (
              <AuditEntry key={entry.seq} entry={entry} name={names[entry.actor]} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
