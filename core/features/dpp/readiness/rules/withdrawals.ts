import type { Finding } from '../answers.types.ts'
import { createFinding } from '../readiness.table.ts'
import type { Withdrawal } from '../../passports/index.ts'

const paths = { own: 'status', batch: 'product.batchNumber', model: 'product.modelNumber' } as const

/**
 * Finds that a passport, its batch or its model is revoked or suspended. Verification then fails, so the passport
 * is not ready either.
 */
export function validateWithdrawals(withdrawals: readonly Withdrawal[]): Finding[] {
  return withdrawals.map(({ level, purpose }) => {
    const state = purpose === 'revocation' ? ('revoked' as const) : ('suspended' as const)
    if (level === 'own') return createFinding(state, paths.own, `does not show that its credentials are ${state}`)
    return createFinding(`parent_${state}`, paths[level], `names a ${level} whose credentials are ${state}`)
  })
}
