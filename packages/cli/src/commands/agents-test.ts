/*
 * `clf agents test`: whether an agent works on this machine, step by step, and what to do where it does not. It needs no gateway; one with
 * the same settings finds the result, and `clf agents ls` shows it.
 */
import { resolve } from 'node:path';
import { makeVisible } from '@clawdfather/tools/text';
import { type AgentsHere, openAgentsHere } from '../agents/agents-here.ts';
import { loadAgents, type ResolvedAgent, type SignedIn } from '../agents/load-agents.ts';
import {
  abilitiesText,
  adviceFor,
  type Advised,
  formatStep,
  lastWords,
  signedInText,
  startedText,
  stepText,
  type Word,
} from '../agents/test-text.ts';
import { type Tried, tryAgent } from '../agents/try-agent.ts';
import type { CallOf, Execute } from '../command.ts';
import { usageError } from '../errors.ts';
import { codeStatus, exitChecksFailed, type ExitStatus, exitOk } from '../exit-status.ts';
import { type Json, jsonLine } from '../render/run-json.ts';
import { openStartTrap } from '../runs/start-trap.ts';
import type { agentsTestSpec } from './agent-specs.ts';

/* Real agents need 0.5 to 5 s for a step, and more on a busy machine. */
const stepMsUsual = 60_000;

export const test: Execute<typeof agentsTestSpec> = async (call) => {
  const { config, flags, clock, random, io } = call;
  const { agent: name } = call.operands;
  const here = await openAgentsHere(config, name);
  const agent = here.resolve(name);
  if (agent.once !== undefined && flags.prompt === undefined) {
    throw usageError(
      `${name} is run once per turn: without a prompt there is nothing to try`,
      `Write: clf agents test ${name} --prompt TEXT`,
    );
  }
  const cwd = resolve(call.caller.cwd, flags.dir ?? agent.cwd ?? '.');
  const say = createTeller(call, { agent, here });
  await say.known();
  using trap = openStartTrap(io.signals);
  let tried: Tried;
  try {
    const wish = { agent, here, cwd, prompt: flags.prompt, stepMs: flags.timeout ?? stepMsUsual };
    tried = await tryAgent(
      call,
      { ...wish, onStarted: say.started, onStep: say.step },
      trap.signal,
    );
  } catch (error) {
    const signal = trap.caught();
    if (signal !== undefined) return { kind: 'signal', signal };
    throw error;
  }
  const { writeLastTest } = await loadAgents();
  const { outcome } = tried;
  const last = { commandHash: agent.commandHash, outcome, atMs: clock.wallMs() };
  writeLastTest({ directory: here.directory, random }, name, last);
  return say.end(tried, cwd);
};

type Call = CallOf<typeof agentsTestSpec>;

interface Tested {
  readonly agent: ResolvedAgent;
  readonly here: AgentsHere;
}

function createTeller({ io, paint, isJson }: Call, { agent, here }: Tested) {
  const { name } = agent;
  const version = agent.source === 'installed' ? here.installed(name)?.version : undefined;
  const signedIn = here.signedIn(name);
  const write = (text: string): void => {
    // A closed stdout is no reason to leave an agent running.
    if (!isJson) void io.stdout.write(text).catch(() => {});
  };
  const line = (word: Word, step: string, facts: string): string =>
    formatStep(paint, word, { name: step, facts });
  return {
    known: async (): Promise<void> => {
      const [word, how] = signedInText(signedIn);
      const from = version ?? makeVisible(agent.argv.join(' '));
      write(line('ok', version === undefined ? 'configured' : 'installed', from));
      write(line(word, 'signed in', how));
    },
    started: (facts: NonNullable<Tried['started']>): void =>
      write(line('ok', 'started', startedText(facts))),
    step: (step: Tried['steps'][number]): void => write(line('ok', step.name, stepText(step))),
    end: async (tried: Tried, directory: string): Promise<ExitStatus> => {
      const advice = adviceFor(tried, { name, ...(await signInOf(name)) });
      const told = { tried, directory, advice, version, signedIn };
      if (isJson) await io.stdout.write(jsonLine(testJson(name, told)));
      else await io.stdout.write(endText(name, told, paint));
      return codeStatus(tried.outcome === 'works' ? exitOk : exitChecksFailed);
    },
  };
}

async function signInOf(name: string): Promise<Pick<Advised, 'variables' | 'isBuiltIn'>> {
  const { builtInAgents, readPlatform } = await loadAgents();
  const entry = builtInAgents.find((candidate) => candidate.name === name);
  const { variables } = entry?.signIn[readPlatform()] ?? { variables: [] };
  return { variables, isBuiltIn: entry !== undefined };
}

interface Told {
  readonly tried: Tried;
  readonly directory: string;
  readonly advice: string | undefined;
  readonly version: string | undefined;
  readonly signedIn: SignedIn | undefined;
}

function endText(name: string, { tried, advice }: Told, paint: Call['paint']): string {
  const { outcome, failedAt, message = '', answer } = tried;
  const lines = [
    ...lastWords(tried).map((line) => `    ${line}\n`),
    ...(outcome === 'works'
      ? []
      : [formatStep(paint, 'no', { name: failedAt ?? 'start', facts: makeVisible(message) })]),
    ...abilitiesText(tried).map((line) => `    ${line}\n`),
    ...(answer === undefined || answer === '' ? [] : [`    ${makeVisible(answer)}\n`]),
    outcome === 'works' ? `${name} works\n` : `${name} does not work: ${outcome}\n`,
    ...(advice === undefined ? [] : [`  ${advice}\n`]),
  ];
  return lines.join('');
}

function testJson(name: string, told: Told): Json {
  const { tried, directory, advice, version, signedIn } = told;
  const { outcome, started, steps, failedAt, message, capabilities, signInWays, answer } = tried;
  return {
    name,
    outcome,
    version: version ?? null,
    isSignedIn: signedIn === undefined ? null : signedIn.kind !== 'no',
    directory,
    shield: started?.shield ?? null,
    startMs: started?.ms ?? null,
    steps: steps.map((step) => ({ ...step })),
    failedAt: failedAt ?? null,
    message: message ?? null,
    advice: advice ?? null,
    protocolVersion: capabilities?.protocolVersion ?? null,
    capabilities: capabilities === undefined ? null : { ...capabilities },
    signInWays: [...signInWays],
    lastLines: lastWords(tried),
    answer: answer ?? null,
    // What an agent told came as JSON.
  } as Json;
}
