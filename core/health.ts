import { networkNames } from './chains/networks.ts'
import type { Limits } from './http/limit.ts'
import type { Context } from './kernel/work.ts'

/** Parts that are away although the API answers: `redis`, `chain:<network>`. Looked at when someone asks. */
export async function missingParts(context: Context, limits: Limits): Promise<string[]> {
  const usable = networkNames.filter((network) => context.chains.usable(network))
  const chains = await Promise.all(usable.map(async (network) => await context.chains.answers(network) ? null : `chain:${network}`))
  return [limits.ready() && context.queue.ready() ? null : 'redis', ...chains].filter((part) => part !== null)
}
