/*
 * What signing in reports to the metrics: `clawdfather_auth_total{result,provider}`. No names, no addresses.
 */
export interface SignInReport {
  readonly provider: 'github' | 'link' | 'code';
  readonly result: 'ok' | 'failed';
}

export interface AuthObserver {
  onSignIn(report: SignInReport): void;
}
