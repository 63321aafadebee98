/*
 * A scenario: a question, put to several contenders in the same run.
 */
import type { ScenarioResult } from '../report/result.ts';
import type { Sizes } from '../sizes.ts';

export interface ScenarioDeps {
  readonly sizes: Sizes;
  /* A fresh directory. Nothing is deleted before the end: ext4 looks at every lately freed inode when it makes one. */
  readonly makeDir: (name: string) => string;
  readonly progress: (text: string) => void;
}

export interface Scenario {
  readonly name: string;
  readonly run: (deps: ScenarioDeps) => Promise<ScenarioResult>;
}
