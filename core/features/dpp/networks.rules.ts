import type { Violation } from '../../kernel/problem.ts'

/** The violation of a network that this installation cannot send on. */
export function unusable(network: string): Violation {
  return { path: 'network', code: 'unusable_network', message: `is ${network}, on which this installation cannot send` }
}
