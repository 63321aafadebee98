/*
 * A master: OpenSSH's client as a supervised run, which goes on when the gateway is killed and is taken over by the next one.
 *
 * nextMaster says what becomes of it and what is to be done; this file does it. A start:
 *   1 the name is resolved and its addresses are judged, once
 *   2 a directory, the signer on a private socket, ssh's configuration
 *   3 the run; its programs report what they see, and each stage that is over is an event (watch-login.ts)
 *   4 the control socket appears: live. The signer is closed, and no process but this one has ever held the key
 * Whichever step fails, nothing of it is left: no process, no socket, no file.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { deferred, errnoOf, hasCode, type Log } from '@clawdfather/kit';
import type { ManagedRun, RunId } from '@clawdfather/supervisor';
import { type ResolveOutcome, resolveTarget } from '../addresses/resolve-target.ts';
import type { HostKey } from '../pins/host-key.ts';
import { openSigner, type Signer } from '../signer/open-signer.ts';
import { causeOf, type DrainWhy, isShortage, offeredKey, type SignerFacts } from './cause.ts';
import { MasterDriver } from './master-driver.ts';
import type {
  Master,
  MasterDeps,
  MasterEnd,
  MasterFound,
  MasterHooks,
  MasterRequest,
} from './master.ts';
import { formatMasterArgv, masterEnvironment } from './master-command.ts';
import { clearLogin, fillMasterPlace, type MasterPlace, masterPlaceIn } from './master-place.ts';
import { runEndOf, stderrOf } from './master-run.ts';
import type { MasterEffect, MasterState } from './master-state.ts';
import { askMaster } from './mux-request.ts';
import { createPingChannel } from './ping-channel.ts';
import type { ReportLine } from './report.ts';
import { type LoginWatch, watchLogin } from './watch-login.ts';

/* Labels of the run, by which the next gateway finds it. */
export const masterDirLabel = 'sshDirectory';
export const masterAddressLabel = 'sshAddress';
const connectionLabel = 'connection';

const actor = 'ssh';
/* A master answers from memory; one that does not in this time is stopped or stuck. */
const askMs = 2_000;

/* What a start collects; all of it is evidence for the cause of its end. */
interface Login {
  readonly request: MasterRequest;
  readonly resolved: ResolveOutcome;
  readonly signer: Signer;
  readonly watch: LoginWatch;
}

/* One master, whether it is being started or was found. */
class Attempt implements Master {
  readonly place: MasterPlace;
  readonly #deps: MasterDeps;
  readonly #hooks: MasterHooks;
  readonly #driver: MasterDriver;
  readonly #pings: ReturnType<typeof createPingChannel>;
  readonly #started = deferred<'live' | MasterEnd>();
  readonly #ended = deferred<MasterEnd>();
  readonly #log: Log;
  #run: ManagedRun | undefined;
  /* Given up meanwhile or not, it is waited for before anything is removed. */
  #preparing: Promise<void> | undefined;
  #login: Login | undefined;
  #asked: DrainWhy | undefined;
  #isSocketSeen = false;
  #signedWith: string | undefined;
  #address: string | undefined;
  #end: Omit<MasterEnd, 'cause'> = { offered: undefined, stderr: '' };

  constructor(deps: MasterDeps, place: MasterPlace, hooks: MasterHooks) {
    this.place = place;
    this.#deps = deps;
    this.#hooks = hooks;
    this.#log = deps.log;
    this.#driver = new MasterDriver({
      clock: deps.clock,
      perform: (effect) => this.#perform(effect),
      changed: (state, before) => this.#changed(state, before),
    });
    const { shimPath } = deps;
    const heard = (): void => this.#driver.send({ type: 'heard' });
    this.#pings = createPingChannel({ shimPath, socketPath: place.socketPath, heard });
  }

  get started(): Promise<'live' | MasterEnd> {
    return this.#started.promise;
  }
  get ended(): Promise<MasterEnd> {
    return this.#ended.promise;
  }
  get address(): string | undefined {
    return this.#address;
  }
  get runId(): RunId | undefined {
    return this.#run?.runId;
  }
  state(): MasterState {
    return this.#driver.state;
  }
  signedWith(): string | undefined {
    return this.#signedWith;
  }

  /* Never rejects: what goes wrong is the end. */
  async start(request: MasterRequest, signal: AbortSignal): Promise<void> {
    const { lookup, clock } = this.#deps;
    signal.addEventListener('abort', () => this.#drainFor('closed'), { once: true });
    const resolved = await resolveTarget(request, { lookup, clock, signal });
    if (this.#driver.state.status !== 'idle') return;
    if (resolved.outcome !== 'resolved') {
      this.#driver.send({ type: 'start-failed', cause: causeOf(evidenceOfNone(resolved)) });
      return;
    }
    this.#address = resolved.address;
    this.#preparing = this.#prepare(request, resolved).then((login) => void (this.#login = login));
    try {
      await this.#preparing;
      this.#driver.send({ type: 'start' });
    } catch (error) {
      this.#log.error('ssh.prepare-failed', { component: 'ssh', error });
      this.#driver.send({ type: 'start-failed', cause: 'local-limit' });
    }
  }

  /* A master of an earlier gateway. `gone`: it does not answer any more. */
  async adopt({ runId, address }: MasterFound): Promise<'adopted' | 'gone'> {
    const { supervisor, clock } = this.#deps;
    this.#address = address;
    const run = await supervisor.attach(runId).catch(() => undefined);
    const answer = await askMaster(this.place.socketPath, 'alive', { clock, limitMs: askMs });
    if (run === undefined || answer !== 'done') return 'gone';
    this.#run = run;
    this.#isSocketSeen = true;
    this.#driver.send({ type: 'adopted' });
    void this.#awaitEnd(run);
    return 'adopted';
  }

  drain(why: 'closed' | 'pin-changed' | 'key-revoked'): Promise<MasterEnd> {
    this.#drainFor(why);
    return this.ended;
  }

  force(): Promise<MasterEnd> {
    this.#asked ??= 'closed';
    this.#driver.send({ type: 'force' });
    return this.ended;
  }

  async pausePing(): Promise<void> {
    await this.#pings[Symbol.asyncDispose]();
  }

  async release(): Promise<void> {
    this.#driver.release();
    await this.#pings[Symbol.asyncDispose]();
    await this.#closeLogin();
  }

  #drainFor(why: 'closed' | 'pin-changed' | 'key-revoked'): void {
    this.#asked ??= why;
    this.#driver.send({ type: 'drain', why });
  }

  async #prepare(request: MasterRequest, resolved: ResolveOutcome): Promise<Login> {
    const { clock, random, shimPath } = this.#deps;
    const { keys, pin, user: username } = request;
    const { directory } = this.place;
    const pinnedHostKeys = pin === undefined ? [] : [Buffer.from(pin.blob, 'base64')];
    const signer = await openSigner({ directory, keys, pinnedHostKeys, username, clock, random });
    try {
      await fillMasterPlace(this.place, {
        ...request,
        address: this.#address ?? '',
        shimPath,
        signerPath: signer.socketPath,
        publicKeys: keys.map(({ publicKey }) => publicKey),
      });
    } catch (error) {
      await signer[Symbol.asyncDispose]();
      throw error;
    }
    const hasSigned = (): boolean => signer.evidence().signed > 0;
    const send = this.#driver.send.bind(this.#driver);
    const watch = watchLogin({ clock, place: this.place, pin, hasSigned, send });
    return { request, resolved, signer, watch };
  }

  #perform(effect: MasterEffect): void {
    const { clock } = this.#deps;
    switch (effect) {
      case 'start-run':
        return void this.#startRun();
      case 'ping':
        return this.#pings.ping();
      case 'terminate':
        return void askMaster(this.place.socketPath, effect, { clock, limitMs: askMs });
      case 'end-commands':
        return void this.#hooks
          .endCommands()
          .catch((error: unknown) => this.#log.warn('ssh.commands-not-ended', { error }))
          .then(() => this.#driver.send({ type: 'commands-ended' }));
      case 'fail-commands':
        return this.#hooks.failCommands();
      case 'send-sigterm':
        return void this.#run?.signal('SIGTERM', actor).catch(() => undefined);
      case 'send-sigkill':
        return void this.#run?.cancel('manual-cancel', actor, 0).catch(() => undefined);
      case 'remove-directory':
        return void this.#clear();
    }
  }

  async #startRun(): Promise<void> {
    const { supervisor, sshPath, home } = this.#deps;
    const login = this.#login;
    if (login === undefined) return;
    const { connectionId, sessionId, backendId, labels, host, port, user } = login.request;
    const { directory, configPath, socketPath } = this.place;
    const paths = { sshPath, configPath, socketPath };
    const [program = '', ...args] = formatMasterArgv(connectionId, paths);
    try {
      this.#run = await supervisor.spawn({
        mode: 'child',
        argv: [program, ...args],
        shownAs: `ssh ${user}@${host}:${port}`,
        stdin: 'closed',
        cwd: '/',
        env: masterEnvironment(home),
        sessionId,
        backendId,
        labels: {
          ...labels,
          [masterDirLabel]: directory,
          [masterAddressLabel]: this.#address ?? '',
          [connectionLabel]: connectionId,
        },
        // It lives as long as its session.
        overallTimeoutMs: undefined,
        leftovers: 'end',
        graceMs: 2_000,
      });
    } catch (error) {
      this.#log.warn('ssh.not-started', { component: 'ssh', error });
      const isShort = hasCode(error, 'registry-full') || isShortage(errnoOf(error));
      this.#driver.send({ type: 'run-ended', cause: isShort ? 'local-limit' : 'ssh-unusable' });
      return;
    }
    // It was given up while it was being started.
    if (this.#driver.state.status === 'draining') this.#perform('send-sigkill');
    await this.#awaitEnd(this.#run);
  }

  async #awaitEnd(run: ManagedRun): Promise<void> {
    const { clock } = this.#deps;
    const exit = await run.wait().catch(() => undefined);
    // The supervisor was closed: the master goes on without us.
    if (exit === undefined) return;
    const report = (await this.#login?.watch.report()) ?? [];
    this.#end = { offered: usable(offeredKey(report)), stderr: await stderrOf(run) };
    const dialedAtMs = this.#login?.watch.dialedAtMs();
    this.#driver.send({
      type: 'run-ended',
      cause: causeOf({
        resolved: this.#login?.resolved,
        report,
        pin: this.#login?.request.pin,
        signer: this.#signerFacts(),
        isSocketSeen: this.#isSocketSeen,
        asked: this.#askedOf(),
        runEnd: runEndOf(exit),
        endedAfterDialMs: dialedAtMs === undefined ? undefined : clock.monotonicMs() - dialedAtMs,
        connectSeconds: this.#login?.request.connectSeconds ?? 0,
        failedLoginMsAgo: this.#login?.request.failedLoginMsAgo,
      }),
    });
  }

  /* Undefined: its socket was gone before ssh had asked it for anything. At the limit for starting it goes by itself. */
  #signerFacts(): SignerFacts | undefined {
    const signer = this.#login?.signer;
    const facts = signer?.evidence();
    const isLate = this.#askedOf() === 'start-limit';
    return facts?.identitiesAsked || isLate || signer?.isThere() ? facts : undefined;
  }

  #askedOf(): DrainWhy | undefined {
    const { state } = this.#driver;
    return state.status === 'draining' ? state.why : this.#asked;
  }

  #changed(state: MasterState, before: MasterState): void {
    if (state.status === 'live' && before.status !== 'live') {
      this.#isSocketSeen = true;
      this.#signedWith = this.#login?.signer.evidence().signedWith;
      void this.#closeLogin();
      this.#started.resolve('live');
    }
    if (state.status === 'ended') void this.#finish(state.cause);
    this.#hooks.changed(state, before);
  }

  async #finish(cause: MasterEnd['cause']): Promise<void> {
    this.#driver.release();
    await this.#pings[Symbol.asyncDispose]();
    await this.#clear();
    const end = { ...this.#end, cause };
    this.#started.resolve(end);
    this.#ended.resolve(end);
  }

  /* The login is over: nothing signs any more. */
  async #closeLogin(): Promise<void> {
    const login = this.#login;
    if (login === undefined) return;
    login.watch[Symbol.dispose]();
    await login.signer[Symbol.asyncDispose]();
    await clearLogin(this.place, login.request.keys.length);
  }

  async #clear(): Promise<void> {
    await this.#preparing?.catch(() => undefined);
    await this.#closeLogin();
    await rm(this.place.directory, { recursive: true, force: true }).catch((error: unknown) =>
      this.#log.warn('ssh.directory-left', { component: 'ssh', error }),
    );
  }
}

/* Starts at once. `signal` gives the start up; a live master is drained instead. */
export function openMaster(
  deps: MasterDeps,
  request: MasterRequest,
  { hooks, signal }: { readonly hooks: MasterHooks; readonly signal: AbortSignal },
): Master {
  const place = masterPlaceIn(join(deps.baseDir, deps.random.id().slice(0, 12)));
  const attempt = new Attempt(deps, place, hooks);
  void attempt.start(request, signal);
  return attempt;
}

/* Undefined: it is not there any more. */
export async function adoptMaster(
  deps: MasterDeps,
  found: MasterFound,
  hooks: MasterHooks,
): Promise<Master | undefined> {
  const attempt = new Attempt(deps, masterPlaceIn(found.directory), hooks);
  if ((await attempt.adopt(found)) === 'adopted') return attempt;
  await attempt.release();
  return undefined;
}

function usable(key: HostKey | 'unusable' | undefined): HostKey | undefined {
  return key === 'unusable' ? undefined : key;
}

function evidenceOfNone(resolved: ResolveOutcome) {
  const report: readonly ReportLine[] = [];
  return {
    resolved,
    report,
    pin: undefined,
    signer: undefined,
    isSocketSeen: false,
    asked: undefined,
    runEnd: undefined,
    endedAfterDialMs: undefined,
    connectSeconds: 0,
    failedLoginMsAgo: undefined,
  };
}
