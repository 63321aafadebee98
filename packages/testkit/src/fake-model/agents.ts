/*
 * How each real agent is pointed at the fake model, with no account: variables, files below its home, and what it needs over ACP.
 *
 * Every row was tried with the version that it names (initialize, session/new, session/prompt, text back). The home directory is
 * always a fresh one, so that settings and sign-ins of the person who runs the tests play no part.
 */

export const fakeModelAgents = [
  'opencode',
  'claude',
  'codex',
  'gemini',
  'qwen',
  'copilot',
] as const;
export type FakeModelAgent = (typeof fakeModelAgents)[number];

export interface FakeModelSetting {
  /** The version with which it was tried. */
  readonly version: string;
  readonly wire: 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'google-generate';
  /** Added to an environment that has HOME, PATH and little else. */
  readonly env: Readonly<Record<string, string>>;
  /** Written before the start, by their paths below the home directory. */
  readonly files: Readonly<Record<string, string>>;
  /** Called with `authenticate` before `session/new`. */
  readonly authMethod?: string;
  /** It runs no tool from a home directory below /tmp: its sandbox wants links to itself there, and refuses to make them. */
  readonly isHomeOutsideTemporary?: true;
}

export interface FakeModelPlace {
  /** `FakeModel.url` */
  readonly url: string;
  readonly home: string;
}

export function fakeModelSetting(agent: FakeModelAgent, place: FakeModelPlace): FakeModelSetting {
  return settings[agent](place);
}

/* Takes part in every request and means nothing: the fake model asks for no key. */
const key = 'fake-key';
const model = 'fake-1';

const settings: Readonly<Record<FakeModelAgent, (place: FakeModelPlace) => FakeModelSetting>> = {
  opencode: ({ url }) => ({
    version: '1.18.33',
    wire: 'openai-chat',
    env: {
      // Each of these would go to the network: a list of models, a newer version, language servers, plugins.
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(url)),
    },
    files: {},
  }),
  claude: ({ url }) => ({
    version: '0.99.1',
    wire: 'anthropic-messages',
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_ERROR_REPORTING: '1',
      // Otherwise tools are found through a search, and the model has to ask for each first.
      ENABLE_TOOL_SEARCH: 'false',
      // Otherwise it asks the model after some turns what the person may say next, with the same conversation and with tools.
      CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false',
    },
    files: {},
  }),
  codex: ({ url, home }) => ({
    version: '2.6.0',
    wire: 'openai-responses',
    env: {
      CODEX_HOME: `${home}/.codex`,
      FAKE_KEY: key,
      NO_BROWSER: '1',
      INITIAL_AGENT_MODE: 'workspace-write',
    },
    files: { '.codex/config.toml': codexConfig(url) },
    isHomeOutsideTemporary: true,
  }),
  gemini: ({ url }) => ({
    version: '0.61.0',
    wire: 'google-generate',
    env: {
      GEMINI_API_KEY: key,
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_MODEL: 'gemini-2.5-flash',
      // One process instead of two, and no question whether the directory is trusted.
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    },
    files: {},
    authMethod: 'gemini-api-key',
  }),
  qwen: ({ url }) => ({
    version: '0.24.4',
    wire: 'openai-chat',
    env: { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: model },
    files: { '.qwen/settings.json': JSON.stringify(qwenSettings) },
  }),
  copilot: ({ url }) => ({
    version: '1.0.102',
    wire: 'openai-chat',
    env: {
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: key,
      COPILOT_MODEL: 'gpt-4.1',
      COPILOT_AUTO_UPDATE: 'false',
    },
    files: {},
  }),
};

function opencodeConfig(url: string): object {
  const name = `fake/${model}`;
  return {
    autoupdate: false,
    share: 'disabled',
    model: name,
    small_model: name,
    provider: {
      fake: {
        // Comes with the program, so nothing is installed at the first start.
        npm: '@ai-sdk/openai-compatible',
        name: 'Fake',
        options: { baseURL: `${url}/v1`, apiKey: key },
        models: {
          [model]: { name: model, tool_call: true, limit: { context: 200_000, output: 8_000 } },
        },
      },
    },
    permission: { bash: 'ask' },
  };
}

/*
 * Its memory asks the model again about the turn that has just ended, with the same prompt and with tools; its mode "auto" lets the
 * model judge a command first.
 */
const qwenSettings = {
  memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false, enableAutoSkill: false },
  tools: { approvalMode: 'default' },
  general: { enableAutoUpdate: false },
  privacy: { usageStatisticsEnabled: false },
};

/* A model that it knows: for any other it says a warning before the model's text. */
function codexConfig(url: string): string {
  return `model = "gpt-5.5"
model_provider = "fake"
check_for_update_on_startup = false

[model_providers.fake]
name = "Fake"
base_url = "${url}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false
`;
}
