/*
 * What comes of trying an agent, for people: a line for each step, and at the end what to do.
 */
import { makeVisible } from '@clawdfather/tools/text';
import { formatDuration } from '../render/duration.ts';
import type { Paint } from '../render/paint.ts';
import type { ProbeResult, ProbeStep, SignedIn } from './load-agents.ts';
import type { StartFacts, Tried } from './try-agent.ts';

const columns = 12;

export type Word = 'ok' | 'no' | '--';

export function formatStep(
  paint: Paint,
  word: Word,
  { name, facts }: { readonly name: string; readonly facts: string },
): string {
  const painted = { ok: paint.good, no: paint.bad, '--': paint.dim }[word](word);
  return `${painted}  ${name.padEnd(columns)}${facts}`.trimEnd() + '\n';
}

export function signedInText(signedIn: SignedIn | undefined): readonly [Word, string] {
  switch (signedIn?.kind) {
    case 'variable':
      return ['ok', `by ${signedIn.name}`];
    case 'file':
      return ['ok', `by ${makeVisible(signedIn.path)}`];
    case 'no':
      return ['--', 'as far as can be told without asking it, nobody is'];
    case undefined:
      return ['--', 'not known of this agent'];
  }
}

export function startedText({ ms, shield }: StartFacts): string {
  return `${formatDuration(ms)}, ${shield === undefined ? 'without a shield' : `in a shield (${shield})`}`;
}

export function stepText({ ms }: ProbeStep): string {
  return formatDuration(ms);
}

/* What it can do, in the words of the protocol. */
export function abilitiesText({ capabilities, signInWays }: ProbeResult): readonly string[] {
  if (capabilities === undefined) return [];
  const { protocolVersion, canResume, canLoad, canClose, canDelete, prompt } = capabilities;
  const abilities = [
    ...(canResume ? ['resume'] : []),
    ...(canLoad ? ['load'] : []),
    ...(canClose ? ['close'] : []),
    ...(canDelete ? ['delete'] : []),
    ...Object.keys(prompt).filter((name) => prompt[name] === true),
  ];
  const ways = signInWays.map(({ id, name, type }) =>
    makeVisible(`${textOf(id)} (${textOf(name)}${type === 'terminal' ? ', at a terminal' : ''})`),
  );
  return [
    `protocol version ${protocolVersion}`,
    `can: ${abilities.length === 0 ? 'nothing beside the least' : makeVisible(abilities.join(', '))}`,
    `signs in by: ${ways.length === 0 ? 'nothing that it tells of' : ways.join('; ')}`,
  ];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/* The last lines that it wrote beside the protocol. */
export function lastWords({ outcome, stderr, noise }: Tried): readonly string[] {
  if (outcome === 'works') return [];
  return [...noise, ...stderr].map((line) => makeVisible(line));
}

export interface Advised {
  readonly name: string;
  readonly variables: readonly string[];
  readonly isBuiltIn: boolean;
}

/* Undefined: it works, or nothing is known that would help. */
export function adviceFor(
  { outcome, hint }: Pick<Tried, 'outcome' | 'hint'>,
  { name, variables, isBuiltIn }: Advised,
): string | undefined {
  switch (outcome) {
    case 'works':
      return undefined;
    case 'not-signed-in': {
      const [variable] = variables;
      const other = variable === undefined ? '' : ` Or set agents.${name}.env.${variable}.`;
      return `Sign in: clf agents login ${name}.${other}`;
    }
    case 'not-startable':
      return (
        hint ??
        `Look at agents.${name}.command${isBuiltIn ? `, or install it: clf agents install ${name}` : ''}.`
      );
    case 'exited':
      return 'What it wrote last is above. Start its command by hand to see more.';
    case 'no-acp':
      return `It has to speak ACP on its standard streams; often that takes an argument, such as --acp, in agents.${name}.command.`;
    case 'too-slow':
      return 'Give it more time: --timeout 5m. A first start may unpack or fetch something.';
    case 'refused':
      return undefined;
  }
}
