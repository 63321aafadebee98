/*
 * A new conversation: where, which agent, in which directory, in which mode, and the first thing to say. What is typed is kept for each host. Without
 * a network it is kept on the device and begun later.
 */
import { lazy, Suspense } from 'preact/compat';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { useApp } from '../app-context.ts';
import { type Problem, problemOf } from '../data/problem.ts';
import { ProblemView } from '../parts/problem-view.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { Screen } from '../parts/screen.tsx';
import { AttachButton, AttachedFiles } from '../thread/attach/attach-button.tsx';
import { type Attached, noFilesOnHosts, useAttachments } from '../thread/attach/use-attachments.ts';
import { DictateButton } from '../thread/composer/dictate-button.tsx';
import { useDictation } from '../thread/composer/use-dictation.ts';
import { type Draft, useDraft } from '../thread/composer/use-draft.ts';
import { Picker } from '../thread/new/picker.tsx';
import { NewChoices, readChosen } from '../thread/choices/new-choices.tsx';
import {
  chosenKey,
  filesOf,
  type NewPlace,
  placeKey,
  readPlace,
  textKey,
  writePlace,
} from '../thread/new/new-draft.ts';
import {
  type Agent,
  agentsAt,
  type Host,
  type Surroundings,
  useDirectories,
  useSurroundings,
} from '../thread/new/use-surroundings.ts';

const NoAgent = lazy(async () => (await import('../thread/new/agent-notes.tsx')).NoAgent);
const AgentNote = lazy(async () => (await import('../thread/new/agent-notes.tsx')).AgentNote);

export function NewThreadScreen() {
  const surroundings = useSurroundings();
  return (
    <Screen title="New thread">
      <ResourceView resource={surroundings}>
        {(known) =>
          agentsAt('', known.agents).length === 0 && known.hosts.length === 0 ? (
            <Suspense fallback={null}>
              <NoAgent />
            </Suspense>
          ) : (
            <NewThreadForm surroundings={known} />
          )
        }
      </ResourceView>
    </Screen>
  );
}

function NewThreadForm({ surroundings }: { readonly surroundings: Surroundings }) {
  const { outbox } = useApp();
  const { hosts } = surroundings;
  const { where, host, directory, agents, named, goTo } = usePlace(surroundings);
  const agent = named?.name ?? '';
  const draft = useDraft(textKey(host));
  const { text, setText } = draft;
  const kept = useDraft(chosenKey(host, agent));
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const [begun, setBegun] = useState<string | undefined>(undefined);
  const attached = useAttachments(filesOf, host === '' ? undefined : noFilesOnHosts);
  const canBegin = text.trim() !== '' && attached.isReady && named !== undefined;
  const isBeginning = useRef(false);
  const begin = async (): Promise<void> => {
    if (!canBegin || isBeginning.current) return;
    isBeginning.current = true;
    try {
      const { key } = await outbox.begin({
        text,
        attachments: attached.ids,
        ...(attached.open === undefined ? {} : { note: attached.open.kept() }),
        whenKept: async () => {
          draft.send();
          kept.send();
          await Promise.all([draft.sent(), kept.sent()]);
          // The last: with another host the words above are other ones.
          where.send();
          await where.sent();
        },
        agent,
        ...(host === '' ? {} : { connectionId: host }),
        ...(directory === '' ? {} : { directory }),
        ...(kept.text === '' ? {} : { chosen: readChosen(kept.text) }),
      });
      attached.clear();
      setBegun(key);
    } catch (error) {
      setProblem(problemOf(error));
    }
    isBeginning.current = false;
  };
  if (begun !== undefined) return <Begun rowKey={begun} />;
  return (
    <form
      class="new-thread"
      onSubmit={(event) => {
        event.preventDefault();
        void begin();
      }}
    >
      <PromptField text={text} setText={setText} attached={attached} />
      <WherePickers
        agents={agents}
        hosts={hosts}
        place={{ host, agent, directory }}
        kept={kept}
        onHost={(id) => goTo({ host: id, directory: '' })}
        onAgent={(name) => goTo({ agent: name })}
        onDirectory={(path) => goTo({ directory: path })}
      />
      <AboutAgent agent={named} host={host} hosts={hosts} />
      {problem !== undefined && <ProblemView problem={problem} />}
      <StartButton canBegin={canBegin} />
    </form>
  );
}

/* Where it is to be, as it was chosen so far. */
function usePlace({ agents: known, usual }: Surroundings) {
  const where = useDraft(placeKey);
  const place = readPlace(where.text);
  const agents = agentsAt(place.host, known);
  return {
    ...place,
    where,
    agents,
    named: agentOf(agents, [place.agent, usual]),
    goTo: (change: Partial<NewPlace>): void => where.setText(writePlace({ ...place, ...change })),
  };
}

/* What has to be known before it can start, if anything. */
function AboutAgent({
  agent,
  host,
  hosts,
}: {
  readonly agent: Agent | undefined;
  readonly host: string;
  readonly hosts: readonly Host[];
}) {
  if (agent !== undefined && host === '' && agent.is_signed_in !== false) return null;
  return (
    <Suspense fallback={null}>
      {agent === undefined ? (
        <NoAgent />
      ) : (
        <AgentNote agent={agent} host={hosts.find(({ id }) => id === host)?.label} />
      )}
    </Suspense>
  );
}

/* The first of those that are wanted and can be chosen; one that is not installed any more is not offered. */
function agentOf(
  agents: readonly Agent[],
  wanted: readonly (string | null | undefined)[],
): Agent | undefined {
  const known = wanted.flatMap((wish) => agents.find(({ name }) => name === wish) ?? []);
  return known[0] ?? agents[0];
}

function StartButton({ canBegin }: { readonly canBegin: boolean }) {
  const { connection } = useApp();
  const isLive = connection.state.value.link.kind === 'live';
  return (
    <>
      <button type="submit" class="button main wide" disabled={!canBegin}>
        {isLive ? 'Start' : 'Start when connected'}
      </button>
      {!isLive && (
        <p class="quiet">
          The gateway does not answer now. It is kept on this device and begun later.
        </p>
      )}
    </>
  );
}

function PromptField({
  text,
  setText,
  attached,
}: {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly attached: Attached;
}) {
  const dictation = useDictation(text, setText);
  return (
    <div class="prompt">
      <div class="prompt-field">
        <label class="field">
          <span>What should it do?</span>
          <textarea
            name="text"
            rows={7}
            value={text}
            onInput={({ currentTarget }) => {
              dictation.end();
              setText(currentTarget.value);
            }}
            onPaste={attached.onPaste}
          />
        </label>
        <div class="tools">
          <AttachButton attached={attached} />
          <DictateButton dictation={dictation} />
        </div>
      </div>
      <AttachedFiles attached={attached} />
    </div>
  );
}

interface WhereProps {
  readonly agents: readonly Agent[];
  readonly hosts: readonly Host[];
  readonly kept: Draft;
  readonly place: { readonly host: string; readonly agent: string; readonly directory: string };
  readonly onHost: (id: string) => void;
  readonly onAgent: (name: string) => void;
  readonly onDirectory: (path: string) => void;
}

function WherePickers({
  agents,
  hosts,
  place: { host, agent, directory },
  kept,
  ...on
}: WhereProps) {
  const { onHost, onAgent, onDirectory } = on;
  const directories = useDirectories(host);
  const usual = host === '' ? 'The usual one' : 'Home directory';
  const titleOf = (name: string): string => agents.find((one) => one.name === name)?.title ?? name;
  return (
    <div class="rows pickers">
      <Picker
        name="Where"
        value={host}
        shown={host === '' ? 'This machine' : (hosts.find(({ id }) => id === host)?.label ?? host)}
        options={[
          {
            value: '',
            shown: 'This machine',
            facts: 'where the gateway runs',
            before: <HostDot />,
          },
          ...hosts.map((one) => ({
            value: one.id,
            shown: one.label,
            facts: hostFacts(one),
            before: <HostDot host={one} />,
          })),
        ]}
        onPick={onHost}
      />
      <Picker
        name="Agent"
        value={agent}
        shown={titleOf(agent)}
        options={agents.map((one) => ({
          value: one.name,
          shown: one.title,
          facts: agentFacts(one, host),
        }))}
        onPick={onAgent}
      />
      <Picker
        name="Directory"
        value={directory}
        shown={directory === '' ? usual : directory}
        typed="Another directory, such as ~/work"
        onType={directories.type}
        options={[
          {
            value: '',
            shown: usual,
            facts: host === '' ? 'the one that the gateway or the agent is set to' : undefined,
          },
          ...directories.found.map((path) => ({ value: path, shown: path })),
        ]}
        onPick={onDirectory}
      />
      {agent !== '' && (
        <NewChoices key={`${host} ${agent}`} host={host} agent={agent} kept={kept} />
      )}
    </div>
  );
}

function agentFacts(agent: Agent, host: string): string {
  const { version, is_signed_in: isSignedIn, source } = agent;
  if (host !== '') return source === 'settings' ? 'if it is installed there' : 'needs a command';
  return [version, isSignedIn === false && 'not signed in'].filter(Boolean).join(' · ');
}

function hostFacts({ host, username, last_test: test }: Host): string {
  const said = test === null ? 'not tested yet' : test.result.replaceAll('_', ' ');
  return `${username}@${host} · last test: ${said}`;
}

/* By its last test; this machine is always there. */
function HostDot({ host }: { readonly host?: Host }) {
  const isGood = host === undefined || host.last_test?.result === 'ok';
  return <span class={isGood ? 'dot live' : 'dot'} />;
}

/* Until the gateway has made it. What it did not take waits in the list of threads, with the ways on. */
function Begun({ rowKey }: { readonly rowKey: string }) {
  const { outbox } = useApp();
  const [, navigate] = useLocation();
  const id = outbox.threadIdOf(rowKey).value;
  const state = outbox.rows.value.find(({ key }) => key === rowKey)?.state;
  const isStuck = state?.kind === 'refused' || state?.kind === 'expired';
  useEffect(() => {
    if (id !== undefined) navigate(`/threads/${id}`, { replace: true });
    else if (isStuck) navigate('/threads', { replace: true });
  }, [id, isStuck]);
  return (
    <div class="empty" role="status">
      <strong>{state?.kind === 'written' ? 'Kept on this device' : 'Starting …'}</strong>
      {state?.kind === 'written' && (
        <p>It begins as soon as the gateway answers. You can close the app.</p>
      )}
      <Link class="button" href="/threads">
        To the threads
      </Link>
    </div>
  );
}
