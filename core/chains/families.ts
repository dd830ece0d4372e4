import type { Family, FamilyOptions } from './family.ts'

/** Opens a sender's access to its network; the family's SDK is loaded at first use. */
export async function openFamily(options: FamilyOptions): Promise<Family> {
  const { evmFamily } = await import('./evm/family.ts')
  return evmFamily(options)
}

/** Whether the network's node answers within 2 s. */
export async function answersAt(rpcUrl: string): Promise<boolean> {
  const { nodeAnswers } = await import('./evm/answers.ts')
  return nodeAnswers(rpcUrl)
}
