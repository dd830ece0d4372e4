import type { Knex } from 'knex'
import type { Network } from '../../../chains/networks.ts'
import type { Issue } from '../../../kernel/problem.ts'
import type { Context } from '../../../kernel/work.ts'
import { createPlanNetworkCheck, type NetworkCheck } from '../../../meters/index.ts'

/** Creates the issue of a network on which this installation cannot send. */
export function createUnusableNetworkIssue(network: string): Issue {
  return { path: 'network', code: 'unusable_network', message: `is ${network}, on which this installation cannot send` }
}

/**
 * Reads what an organization may begin on networks: where this installation can send, and what its plan has. What has
 * begun goes on when the plan becomes smaller.
 */
export async function createNetworkCheck(
  { chains, meters }: Pick<Context, 'chains' | 'meters'>,
  db: Knex,
  organization: string,
): Promise<NetworkCheck> {
  const checkPlan = await createPlanNetworkCheck(db, meters.table, organization)
  return (network) => (chains.canSend(network as Network) ? checkPlan(network) : createUnusableNetworkIssue(network))
}

/** The interval, in seconds, at which a job that a network will wake checks its state anyway. */
export const jobIntervalSeconds = 30
