import type { Issue } from '../../../kernel/problem.ts'

/** Creates the issue of a network on which this installation cannot send. */
export function createUnusableNetworkIssue(network: string): Issue {
  return { path: 'network', code: 'unusable_network', message: `is ${network}, on which this installation cannot send` }
}

/** The interval, in seconds, at which a job that a network will wake checks its state anyway. */
export const jobIntervalSeconds = 30
