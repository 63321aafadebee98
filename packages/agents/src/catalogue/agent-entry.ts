/*
 * What is known of an agent before it is started: what to install, what to run, what it does differently from others.
 */

/** Exact versions of npm packages. The first one names the agent's version. */
export interface PinnedPackage {
  readonly name: string;
  readonly version: string;
}

/** `linux-x64-baseline` is a processor without AVX2: programs made with Bun have a build of their own for it. */
export const platforms = ['linux-x64', 'linux-x64-baseline', 'linux-arm64'] as const;
export type Platform = (typeof platforms)[number];

/** Paths are below `node_modules`. A script is run by our own Node. */
export type ProgramFile =
  | { readonly kind: 'script'; readonly path: string }
  | { readonly kind: 'native'; readonly path: string };

export interface SignIn {
  /** Any of these variables is an account or a key. */
  readonly variables: readonly string[];
  /**
   * Any of these files says that somebody signed in. Below the home directory, or below the directory that the variable names.
   * Whether the sign-in still holds is known only to the agent's maker.
   */
  readonly files: readonly SignInFile[];
  /** Run on a terminal. Without arguments of its own the agent's interactive program asks at its first start. */
  readonly terminal: { readonly program: ProgramFile; readonly args: readonly string[] };
}

export interface SignInFile {
  readonly path: string;
  /** Set by the person, it stands for the part of the path before the slash that follows it. */
  readonly movedBy?: { readonly variable: string; readonly from: string };
  /** Only a text in it says so, as the file is there without a sign-in, too. */
  readonly contains?: string;
}

/**
 * What an agent does differently. They come from recorded traffic of these versions; that an agent does not do something means only
 * that it was not seen there. An agent that is not known gets `cautiousQuirks`.
 */
export interface AgentQuirks {
  /** How a session is taken up again, best first. What the agent does not advertise is left out when it is started. */
  readonly takesUpBy: readonly ('resume' | 'load')[];
  /** Loading a session that is younger erases it. */
  readonly loadErasesYoungerThanMs: number;
  readonly exitsOnEndOfInput: boolean;
  /** Refuses to load or resume while another process of it holds the session: the old tree has to be dead first. */
  readonly locksSessions: boolean;
  /** Killed in the middle of a shell tool, it leaves children behind that are in no group of its own. */
  readonly leavesChildren: boolean;
  /** Its command goes on after `session/cancel`. */
  readonly commandSurvivesCancel: boolean;
  /** The last status of a tool that was cancelled. */
  readonly cancelledToolEndsAs: 'completed' | 'failed' | 'in_progress' | 'unknown';
  /** A refusal by the model ends the turn as an error, or as if nothing had happened, with the refusal as text. */
  readonly modelErrorEndsAs: 'error' | 'end_turn' | 'unknown';
  /** Sends `tool_call_update` for tools that it never announced. */
  readonly updatesUnannouncedTools: boolean;
  /** A prompt right after `session/new` may not see the tools of MCP servers yet. */
  readonly firstTurnMayLackTools: boolean;
  /** Transports on which a cancelled call of an MCP tool reaches the tool. */
  readonly cancelReachesMcpOver: readonly ('stdio' | 'http')[];
  /** Has to be called before `session/new` when the account is a key in this variable. */
  readonly authenticateFor: Readonly<Record<string, string>>;
  /** Tells of `terminal` sign-in only to clients that say they can show one. */
  readonly authMethods: readonly string[];
}

export interface CatalogueEntry {
  readonly name: string;
  readonly title: string;
  readonly packages: Readonly<Record<Platform, readonly PinnedPackage[]>>;
  readonly program: Readonly<Record<Platform, ProgramFile>>;
  readonly args: readonly string[];
  /** Set for every start, under what the person configured. */
  readonly env: Readonly<Record<string, string>>;
  readonly signIn: Readonly<Record<Platform, SignIn>>;
  readonly quirks: AgentQuirks;
  /** What its install script would have done, and why it is not missed. */
  readonly withoutScripts: string;
}

/** The safe assumption for each: nothing is taken for granted that some agent does not do. */
export const cautiousQuirks: AgentQuirks = {
  takesUpBy: ['resume', 'load'],
  loadErasesYoungerThanMs: 0,
  exitsOnEndOfInput: false,
  locksSessions: true,
  leavesChildren: true,
  commandSurvivesCancel: true,
  cancelledToolEndsAs: 'unknown',
  modelErrorEndsAs: 'unknown',
  updatesUnannouncedTools: true,
  firstTurnMayLackTools: true,
  cancelReachesMcpOver: [],
  authenticateFor: {},
  authMethods: [],
};
