/*
 * Everything about a command that a person needs to decide: the command itself first, whole; then where, who, why, what else it is
 * given, what it is bound to, and how long there is.
 */
import type { ComponentChildren } from 'preact';
import { formatLength } from '../text/time-words.ts';
import type { ReadingMarks } from './decision-frame.tsx';
import { ExactText } from './exact-text.tsx';
import { ageMsOf, expiryNotice, leftMsOf, shareLeftOf, type Waiting } from './expiry.ts';
import { ExpiryRing } from './expiry-ring.tsx';
import type { Approval } from './outcome-words.ts';
import { askerWords } from './who-words.ts';
import { commandText } from './shown-command.ts';

export interface ApprovalFactsProps {
  readonly approval: Approval;
  readonly waiting: Waiting;
  readonly nowMs: number;
  readonly marks: ReadingMarks;
}

export function ApprovalFacts({ approval, waiting, nowMs, marks }: ApprovalFactsProps) {
  const { cwd, host, requester, askedWith, runAs, why, shell, state } = approval;
  const leftMs = leftMsOf(waiting, nowMs);
  return (
    <>
      <header class="decision-head">
        <h2>{askedWith ?? requester} wants to run</h2>
        {state === 'pending' && leftMs > 0 && (
          <p class="left">
            <ExpiryRing share={shareLeftOf(waiting, nowMs)} />
            <span>{formatLength(leftMs)} left</span>
          </p>
        )}
      </header>
      <p class="only-read-aloud" role="status">
        {state === 'pending' ? expiryNotice(leftMs) : ''}
      </p>
      <Given approval={approval} marks={marks} />
      <dl class="facts-list">
        <Fact name="Why you are asked">{why}</Fact>
        <Fact name="Host">{host === 'local' ? 'this machine' : host}</Fact>
        <Fact name="Directory">
          <code>{cwd}</code>
        </Fact>
        {runAs !== null && <Fact name="Runs as">{runAs}</Fact>}
        {shell !== null && (
          <Fact name="Shell">
            <code>{shell}</code>
          </Fact>
        )}
        {askedWith !== null && <Fact name="Asked by">{askerWords(requester, askedWith)}</Fact>}
        <Fact name="Asked">{formatLength(ageMsOf(waiting, nowMs))} ago</Fact>
        <BoundFacts bound={approval.bound} />
      </dl>
    </>
  );
}

/* The command, and what it reads and finds at its start: all of it has to be seen before it is allowed. */
function Given({ approval, marks }: Pick<ApprovalFactsProps, 'approval' | 'marks'>) {
  const { stdin, env, droppedBytes } = approval;
  const variables = Object.entries(env);
  const texts = [
    { name: undefined, text: commandText(approval) },
    ...(stdin === null ? [] : [{ name: 'It is given this to read', text: stdin }]),
    ...(variables.length === 0
      ? []
      : [
          {
            name: 'Added to its environment',
            text: variables.map(([name, value]) => `${name}=${value}`).join('\n'),
          },
        ]),
  ];
  return (
    <>
      {texts.map(({ name, text }, index) => (
        <div key={index} class="given">
          {name !== undefined && <h3>{name}</h3>}
          <ExactText
            text={text}
            start={index === 0 ? marks.start : undefined}
            end={index === texts.length - 1 ? marks.end : undefined}
          />
        </div>
      ))}
      {droppedBytes !== null && droppedBytes > 0 && (
        <p class="quiet">It is over: its input and its environment were not kept.</p>
      )}
    </>
  );
}

function BoundFacts({ bound }: Pick<Approval, 'bound'>) {
  if (bound === null) return null;
  const { files, unbound, more } = bound;
  if (files.length + unbound.length + more === 0) return null;
  return (
    <Fact name="Files">
      <details>
        <summary>
          {files.length === 0 ? 'none is' : files.length === 1 ? '1 is' : `${files.length} are`}{' '}
          compared again at the start
          {unbound.length + more > 0 && `, ${unbound.length + more} cannot be`}
        </summary>
        <ul>
          {files.map(({ path }) => (
            <li key={path}>
              <code>{path}</code>
            </li>
          ))}
          {unbound.map(({ path, why }) => (
            <li key={path}>
              <code>{path}</code> <span class="quiet">not compared: {why}</span>
            </li>
          ))}
        </ul>
      </details>
    </Fact>
  );
}

export function Fact({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
