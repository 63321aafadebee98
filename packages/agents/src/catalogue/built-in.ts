/*
 * The agents that are built in, as data. Versions are pinned; each was started on x64 and answered (docs/agents.md). The
 * other platforms and the sign-ins were not tried. A new version is a change of this file, after `npm run test:agents:long`.
 */
import type { CatalogueEntry } from './agent-entry.ts';
import { byPlatform, everywhere, machineOf, native, script } from './entry-parts.ts';

const claudeProgram = script('@agentclientprotocol/claude-agent-acp/dist/index.js');
const geminiProgram = script('@google/gemini-cli/bundle/gemini.js');
const qwenProgram = script('@qwen-code/qwen-code/cli-entry.js');

const opencode: CatalogueEntry = {
  name: 'opencode',
  title: 'OpenCode',
  // The program alone. Its npm package `opencode-ai` brings it twice (with and without AVX2), and a script that picks one.
  packages: byPlatform((platform) => [{ name: `opencode-${platform}`, version: '1.18.33' }]),
  program: byPlatform((platform) => native(`opencode-${platform}/bin/opencode`)),
  args: ['acp'],
  env: { OPENCODE_DISABLE_AUTOUPDATE: '1' },
  signIn: byPlatform((platform) => ({
    variables: ['OPENCODE_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY'],
    files: [
      {
        path: '.local/share/opencode/auth.json',
        movedBy: { variable: 'XDG_DATA_HOME', from: '.local/share' },
      },
    ],
    terminal: {
      program: native(`opencode-${platform}/bin/opencode`),
      args: ['auth', 'login'],
    },
  })),
  quirks: {
    takesUpBy: ['resume', 'load'],
    loadErasesYoungerThanMs: 0,
    exitsOnEndOfInput: true,
    locksSessions: false,
    leavesChildren: true,
    commandSurvivesCancel: false,
    cancelledToolEndsAs: 'completed',
    modelErrorEndsAs: 'error',
    updatesUnannouncedTools: false,
    firstTurnMayLackTools: false,
    cancelReachesMcpOver: ['stdio'],
    authenticateFor: {},
    authMethods: ['opencode-login'],
  },
  withoutScripts: 'the script of opencode-ai links the right program; we name it ourselves',
};

const claude: CatalogueEntry = {
  name: 'claude',
  title: 'Claude',
  packages: everywhere([{ name: '@agentclientprotocol/claude-agent-acp', version: '0.99.1' }]),
  program: everywhere(claudeProgram),
  args: [],
  env: { DISABLE_AUTOUPDATER: '1' },
  signIn: everywhere({
    variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
    files: [
      {
        path: '.claude/.credentials.json',
        movedBy: { variable: 'CLAUDE_CONFIG_DIR', from: '.claude' },
      },
    ],
    terminal: { program: claudeProgram, args: ['--cli', 'auth', 'login', '--claudeai'] },
  }),
  quirks: {
    takesUpBy: ['resume', 'load'],
    loadErasesYoungerThanMs: 0,
    exitsOnEndOfInput: true,
    locksSessions: false,
    leavesChildren: true,
    commandSurvivesCancel: false,
    cancelledToolEndsAs: 'failed',
    modelErrorEndsAs: 'error',
    updatesUnannouncedTools: false,
    firstTurnMayLackTools: false,
    cancelReachesMcpOver: ['stdio', 'http'],
    authenticateFor: {},
    authMethods: ['claude-ai-login', 'console-login'],
  },
  withoutScripts: 'none of its packages has one; the program is in an optional package',
};

const codex: CatalogueEntry = {
  name: 'codex',
  title: 'Codex',
  packages: everywhere([
    { name: '@agentclientprotocol/codex-acp', version: '2.6.0' },
    // The one it was made for. Newer ones are outside its range, so it would bring this one besides.
    { name: '@openai/codex', version: '0.166.0' },
  ]),
  program: everywhere(script('@agentclientprotocol/codex-acp/dist/index.js')),
  args: [],
  // It offers the sign-in with a browser otherwise, and the browser would open on the gateway's machine.
  env: { NO_BROWSER: '1' },
  signIn: everywhere({
    variables: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
    files: [{ path: '.codex/auth.json', movedBy: { variable: 'CODEX_HOME', from: '.codex' } }],
    terminal: { program: script('@openai/codex/bin/codex.js'), args: ['login', '--device-auth'] },
  }),
  quirks: {
    takesUpBy: ['resume', 'load'],
    loadErasesYoungerThanMs: 0,
    exitsOnEndOfInput: true,
    locksSessions: true,
    leavesChildren: false,
    commandSurvivesCancel: true,
    cancelledToolEndsAs: 'in_progress',
    modelErrorEndsAs: 'end_turn',
    updatesUnannouncedTools: false,
    firstTurnMayLackTools: false,
    cancelReachesMcpOver: ['stdio'],
    authenticateFor: { CODEX_API_KEY: 'api-key', OPENAI_API_KEY: 'api-key' },
    authMethods: ['api-key'],
  },
  withoutScripts: 'none of its packages has one; the program is in an optional package',
};

const gemini: CatalogueEntry = {
  name: 'gemini',
  title: 'Gemini',
  packages: everywhere([{ name: '@google/gemini-cli', version: '0.61.0' }]),
  program: everywhere(geminiProgram),
  args: ['--acp'],
  // One process instead of two: it starts itself again to give Node more memory.
  env: { GEMINI_CLI_NO_RELAUNCH: 'true' },
  signIn: everywhere({
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI'],
    files: [{ path: '.gemini/oauth_creds.json' }, { path: '.gemini/gemini-credentials.json' }],
    terminal: { program: geminiProgram, args: [] },
  }),
  quirks: {
    takesUpBy: ['load'],
    loadErasesYoungerThanMs: 60_000,
    exitsOnEndOfInput: false,
    locksSessions: false,
    leavesChildren: false,
    commandSurvivesCancel: false,
    cancelledToolEndsAs: 'completed',
    modelErrorEndsAs: 'error',
    updatesUnannouncedTools: true,
    firstTurnMayLackTools: false,
    cancelReachesMcpOver: [],
    authenticateFor: { GEMINI_API_KEY: 'gemini-api-key' },
    authMethods: ['oauth-personal', 'gemini-api-key', 'vertex-ai', 'gateway'],
  },
  withoutScripts:
    'keytar and node-pty would be compiled; it keeps sign-ins in a file and uses a ready-made node-pty instead (x64 only)',
};

const qwen: CatalogueEntry = {
  name: 'qwen',
  title: 'Qwen Code',
  packages: everywhere([{ name: '@qwen-code/qwen-code', version: '0.24.4' }]),
  program: everywhere(qwenProgram),
  args: ['--acp'],
  env: {},
  signIn: everywhere({
    variables: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY', 'BAILIAN_CODING_PLAN_API_KEY'],
    files: [
      { path: '.qwen/oauth_creds.json' },
      // Written by its `/auth`.
      { path: '.qwen/settings.json', contains: '"selectedType"' },
    ],
    terminal: { program: qwenProgram, args: [] },
  }),
  quirks: {
    takesUpBy: ['resume', 'load'],
    loadErasesYoungerThanMs: 0,
    exitsOnEndOfInput: true,
    locksSessions: false,
    leavesChildren: false,
    commandSurvivesCancel: false,
    cancelledToolEndsAs: 'failed',
    modelErrorEndsAs: 'error',
    updatesUnannouncedTools: false,
    firstTurnMayLackTools: true,
    cancelReachesMcpOver: ['stdio'],
    authenticateFor: {},
    authMethods: ['openai'],
  },
  withoutScripts: 'audio capture would be compiled; nothing of ACP needs it',
};

const copilot: CatalogueEntry = {
  name: 'copilot',
  title: 'GitHub Copilot',
  // The program alone: the package `@github/copilot` only looks for it, with one more process.
  packages: byPlatform((platform) => [
    { name: `@github/copilot-${machineOf(platform)}`, version: '1.0.102' },
  ]),
  program: byPlatform((platform) => native(`@github/copilot-${machineOf(platform)}/copilot`)),
  args: ['--acp'],
  env: { COPILOT_AUTO_UPDATE: 'false' },
  signIn: byPlatform((platform) => ({
    variables: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN', 'COPILOT_PROVIDER_API_KEY'],
    files: [
      {
        path: '.copilot/config.json',
        movedBy: { variable: 'COPILOT_HOME', from: '.copilot' },
        contains: '"loggedInUsers"',
      },
    ],
    terminal: {
      program: native(`@github/copilot-${machineOf(platform)}/copilot`),
      args: ['login', '--device-code'],
    },
  })),
  quirks: {
    takesUpBy: ['load'],
    loadErasesYoungerThanMs: 0,
    exitsOnEndOfInput: true,
    locksSessions: false,
    leavesChildren: true,
    commandSurvivesCancel: false,
    cancelledToolEndsAs: 'unknown',
    modelErrorEndsAs: 'end_turn',
    updatesUnannouncedTools: false,
    firstTurnMayLackTools: true,
    cancelReachesMcpOver: ['http'],
    authenticateFor: {},
    authMethods: ['copilot-login'],
  },
  withoutScripts: 'none of its packages has one; the program is in an optional package',
};

export const builtInAgents: readonly CatalogueEntry[] = [
  opencode,
  claude,
  codex,
  gemini,
  qwen,
  copilot,
];
