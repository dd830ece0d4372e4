import type { ChainAct, NewContract } from '../family.ts'

/** Puts a contract on the chain, before the operations that wait for it. No operation asks for it. */
export const deploy = {
  kind: 'deploy',
  createChainAct: (contract: NewContract): ChainAct => ({ kind: 'deploy', contract }),
} as const
