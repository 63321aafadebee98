/*
 * What a new thread lacks before it can begin, and the way to it: an agent at all, its sign-in, or a command for the chosen host. None of it keeps
 * anyone from starting: an agent may work without a sign-in, and the gateway knows best what it can start where.
 */
import { Link } from 'wouter-preact';
import { ClfCommand } from '../../parts/clf-command.tsx';
import { Empty } from '../../parts/rows.tsx';
import type { Agent } from './use-surroundings.ts';

export function NoAgent() {
  return (
    <Empty title="No agent is installed">
      <p>Install one on the machine of the gateway:</p>
      <ClfCommand words="agents install opencode" name="Command that installs OpenCode" />
      <Link class="button" href="/agents">
        All agents
      </Link>
    </Empty>
  );
}

export function AgentNote({
  agent,
  host,
}: {
  readonly agent: Agent;
  /* Its label; undefined: the machine of the gateway. */
  readonly host: string | undefined;
}) {
  if (host === undefined) return agent.is_signed_in === false ? <SignedOut agent={agent} /> : null;
  return <OnHost agent={agent} host={host} />;
}

function SignedOut({ agent: { name, title } }: { readonly agent: Agent }) {
  return (
    <section class="panel needs" role="status">
      <h2>{title} is not signed in</h2>
      <p>It may refuse to answer. Sign it in on the machine of the gateway:</p>
      <ClfCommand words={`agents login ${name}`} name={`Command that signs ${title} in`} />
    </section>
  );
}

/* There it has a sign-in of its own, and is started by the command that is set for it. */
function OnHost({
  agent: { name, title, source },
  host,
}: {
  readonly agent: Agent;
  readonly host: string;
}) {
  if (source === 'settings')
    return (
      <p class="quiet after-list" role="status">
        {title} must be installed and signed in on {host}. It is started there by the command of{' '}
        <code>agents.{name}</code> in the settings of the gateway.
      </p>
    );
  return (
    <section class="panel needs" role="status">
      <h2>{title} has no command for a host</h2>
      <p>
        Install it on {host}, and set <code>agents.{name}.command</code> in the settings of the
        gateway to what starts it there.
      </p>
    </section>
  );
}
