/*
 * The settings of the gateway (`clf serve`) and of those who call one over the network.
 *
 * A secret is never a setting: the environment can be read by every process of the same user, and a config file is shown and
 * copied. A setting names the file that holds it.
 */
import { accountSettings } from './account-kinds.ts';
import { a2aSetting } from './a2a-kind.ts';
import { agentSettings } from './agent-kinds.ts';
import { bytes, choice, duration, integer, paths } from './kinds.ts';
import {
  address,
  contact,
  networks,
  optional,
  optionalPath,
  originList,
  webAddress,
  words,
} from './network-kinds.ts';
import { setting } from './setting.ts';

const optionalUrl = optional(webAddress);
const places = integer({ min: 1, max: 100_000 });

export const gatewaySettings = {
  accounts: setting(accountSettings, {
    usual: [],
    summary:
      '`serve`: by the id of a member’s account, `runAs`: the Unix user that its commands run as here, without which it runs nothing on this machine; `sessionsMax` and `sessionStartsPerHour`: instead of those of all accounts',
  }),
  agents: setting(agentSettings, {
    usual: [],
    summary:
      'agents that people talk to with `clf ask`, by name: `command`, a program that speaks ACP, with its arguments, which a built-in one does not need; `login`; `env`; `cwd`; `limits`; `title`; `kind`, `prompt` and `resume` of one that does not speak ACP; `sandboxed`, which sees no sessions but its own and those below',
  }),
  'agents.visibility': setting(choice(['self', 'tree', 'agent', 'all']), {
    usual: 'tree',
    summary:
      '`serve`: which sessions an agent sees with the tools `sessions_…`: its own; those that it has spawned, too; those of the same agent, too; those that `agents.a2a` allows, too',
  }),
  'agents.a2a': setting(a2aSetting, {
    usual: { isEnabled: false, allow: [] },
    summary:
      '`serve`: whether agents may have to do with sessions of other agents, and which: `{"enabled": true, "allow": [["claude", "codex"]]}`; `*` is every agent. Only with `agents.visibility` at `all`',
  }),
  'agents.spawnDepthMax': setting(integer({ min: 0, max: 16 }), {
    usual: 3,
    summary:
      '`serve`: how deep agents may spawn sessions: 1 lets only those that a person began spawn, 0 none',
  }),
  'agents.spawnedMax': setting(integer({ min: 1, max: 1_000 }), {
    usual: 8,
    summary:
      '`serve`: how many sessions that agents have spawned may be at work at once below one that a person began; an agent takes some 300 MB',
  }),
  defaultAgent: setting(optional(words.one), {
    usual: undefined,
    summary:
      '`serve`: the agent that is asked where none is named; `none` is the first of `agents`',
  }),
  defaultGateway: setting(optional(words.one), {
    usual: undefined,
    variable: 'CLAWDFATHER_GATEWAY',
    summary:
      'the gateway whose runs commands are about, by name or address; `local`: this machine. Without it, what `clf login` has set',
  }),
  'gateway.listen': setting(address, {
    usual: '127.0.0.1:8420',
    summary: '`serve`: where it listens; beyond this machine only with TLS or a trusted proxy',
  }),
  'gateway.publicUrl': setting(optionalUrl, {
    usual: undefined,
    summary: '`serve`: the address that people use, where it is not the one listened on',
  }),
  'gateway.tls.cert': setting(optionalPath, {
    usual: undefined,
    summary: '`serve`: the file of the certificate, with its chain, as PEM',
  }),
  'gateway.tls.key': setting(optionalPath, {
    usual: undefined,
    summary: '`serve`: the file of its private key, as PEM, readable by nobody else',
  }),
  'gateway.trustedProxies': setting(networks, {
    usual: [],
    summary: '`serve`: proxies that bring TLS, whose word about a client’s address is believed',
  }),
  'gateway.suggestRoots': setting(paths, {
    usual: [],
    summary:
      '`serve`: the only directories of this machine that are suggested to people, with all below them, by their real paths; none: all that their user can read',
  }),
  'gateway.metricsNetworks': setting(networks, {
    usual: [],
    summary: '`serve`: from where, beside this machine, metrics may be read',
  }),
  'gateway.log': setting(choice(['auto', 'json', 'pretty', 'off']), {
    usual: 'auto',
    summary: '`serve`: its log on stderr; `auto` is `pretty` on a terminal and `json` elsewhere',
  }),
  'gateway.directory': setting(optionalPath, {
    usual: undefined,
    summary: '`serve`: where commands run that name no directory; `none` is the home directory',
  }),
  'gateway.database.path': setting(optionalPath, {
    usual: undefined,
    summary: '`serve`: the control database; `none` is `control.db` in the state directory',
  }),
  'gateway.database.urlFile': setting(optionalPath, {
    usual: undefined,
    summary: '`serve`: a file with the address of a PostgreSQL database, used instead',
  }),
  'gateway.masterKeysDir': setting(optionalPath, {
    usual: undefined,
    summary:
      '`serve`: the keys to stored secrets; `none` is `master-keys` in the state directory. Gateways that share a database share them',
  }),
  'gateway.liveRunsMax': setting(places, {
    usual: 64,
    summary:
      '`serve`: how many runs of one account may be alive at a time; of these and the next two, tokens get three quarters',
  }),
  'gateway.socketsMax': setting(places, {
    usual: 256,
    summary: '`serve`: how many WebSockets of one account may be open at a time',
  }),
  'gateway.streamsMax': setting(places, {
    usual: 128,
    summary:
      '`serve`: how many requests of one account may stay open: event streams, waits, starts that are waited for, MCP',
  }),
  'gateway.memberJournalMax': setting(bytes, {
    usual: 8 * 1024 ** 3,
    summary: '`serve`: how much output of one member is kept on disk, half of it for living runs',
  }),
  'gateway.memberOutputRate': setting(bytes, {
    usual: 16 * 1024 ** 2,
    summary: '`serve`: how much all runs of one member together may say in a second',
  }),
  'gateway.memberNice': setting(integer({ min: 0, max: 19 }), {
    usual: 19,
    summary: '`serve`: the priority of members’ commands, 0 to 19; 19 takes what others leave',
  }),
  'gateway.artifactsDir': setting(optionalPath, {
    usual: undefined,
    summary:
      '`serve`: where files that turns have left are kept; `none` is `artifacts` in the state directory',
  }),
  'gateway.artifactsTurnMax': setting(bytes, {
    usual: 256 * 1024 ** 2,
    summary: '`serve`: how much of what one turn has left is kept',
  }),
  'gateway.artifactsAccountMax': setting(bytes, {
    usual: 4 * 1024 ** 3,
    summary: '`serve`: how much of what turns have left is kept for one account, each content once',
  }),
  'gateway.artifactsKept': setting(duration, {
    usual: 30 * 24 * 3_600_000,
    summary: '`serve`: how long it is kept; the names stay',
  }),
  'gateway.ownerSessionsMax': setting(places, {
    usual: 64,
    summary:
      '`serve`: how many sessions the owner may have open at a time; of these and of a member’s, tokens get three quarters',
  }),
  'gateway.memberSessionsMax': setting(places, {
    usual: 3,
    summary: '`serve`: how many sessions one member may have open at a time',
  }),
  'gateway.sessionStartsPerHour': setting(places, {
    usual: 10,
    summary:
      '`serve`: how many sessions one account may start by name in an hour. This and the next two are for members and for tokens; the owner’s own devices have no such limit',
  }),
  'gateway.hostChangesPerHour': setting(places, {
    usual: 20,
    summary: '`serve`: how often one account may add, change or remove a host in an hour',
  }),
  'gateway.hostProbesPerHour': setting(places, {
    usual: 30,
    summary: '`serve`: how often one account may look for an SSH server at an address in an hour',
  }),
  'gateway.hostTestsPerMinute': setting(places, {
    usual: 5,
    summary:
      '`serve`: how often one host may be tested in a minute, by anyone: a failed login may count against us there',
  }),
  'gateway.otlpEndpoint': setting(optionalUrl, {
    usual: undefined,
    summary: '`serve`: where traces are sent, over OTLP/HTTP',
  }),
  'notify.webhook.url': setting(optionalUrl, {
    usual: undefined,
    summary: '`serve`: where notices of the owner are posted, signed',
  }),
  'notify.webhook.secretFile': setting(optionalPath, {
    usual: undefined,
    summary: '`serve`: the file with the secret that they are signed with',
  }),
  'notify.ntfy.url': setting(optionalUrl, {
    usual: undefined,
    summary: '`serve`: the ntfy server that notices of the owner are sent to',
  }),
  'notify.ntfy.topic': setting(optional(words.one), {
    usual: undefined,
    summary:
      '`serve`: the topic there; who knows it can read it, unless the server asks for a token',
  }),
  'notify.ntfy.tokenFile': setting(optionalPath, {
    usual: undefined,
    summary: '`serve`: the file with an access token of that server',
  }),
  'notify.push.contact': setting(optional(contact), {
    usual: undefined,
    summary:
      '`serve`: how a push service reaches whoever runs the gateway: `mailto:…` or `https://…`; `none` is `gateway.publicUrl`',
  }),
  'notify.push.services': setting(originList, {
    usual: [],
    summary:
      '`serve`: origins of further push services that devices may subscribe with, beside those of Apple, Google, Mozilla and Microsoft',
  }),
  'notify.titles': setting(choice(['hidden', 'shown']), {
    usual: 'hidden',
    summary:
      '`serve`: whether notices name the thread by its title, which is the beginning of a prompt',
  }),
  'gateway.github.clientId': setting(optional(words.one), {
    usual: undefined,
    summary: '`serve`: sign-in with GitHub: the id of the OAuth application',
  }),
  'gateway.github.clientSecretFile': setting(optionalPath, {
    usual: undefined,
    summary: '`serve`: sign-in with GitHub: the file with its secret',
  }),
  'gateway.github.admittedLogins': setting(words.list, {
    usual: [],
    summary: '`serve`: sign-in with GitHub: who may make an account here',
  }),
  'gateway.github.redirectUris': setting(words.list, {
    usual: [],
    summary: '`serve`: sign-in with GitHub: where apps of your own are sent back to, word for word',
  }),
  'gateway.github.webUrl': setting(optionalUrl, {
    usual: undefined,
    summary: '`serve`: sign-in with GitHub Enterprise: its address',
  }),
  'gateway.github.apiUrl': setting(optionalUrl, {
    usual: undefined,
    summary: '`serve`: sign-in with GitHub Enterprise: the address of its API',
  }),
} as const;
