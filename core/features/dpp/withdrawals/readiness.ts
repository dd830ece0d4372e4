import type { Knex } from 'knex'
import type { Finding } from '../open.types.ts'
import { finding } from '../readiness.table.ts'
import { withdrawalsOf } from './withdrawals.ts'

const paths = { own: 'status', batch: 'product.batchNumber', model: 'product.modelNumber' } as const

/** Finds that a passport, its batch or its model is revoked or suspended: verifying says no, so it is not ready either. */
export async function judgeWithdrawals(db: Knex, passport: string): Promise<Finding[]> {
  const withdrawals = (await withdrawalsOf(db, [passport])).get(passport) ?? []
  return withdrawals.map(({ level, purpose }) => {
    const state = purpose === 'revocation' ? 'revoked' as const : 'suspended' as const
    if (level === 'own') return finding(state, paths.own, `does not show that its credentials are ${state}`)
    return finding(`parent_${state}`, paths[level], `names a ${level} whose credentials are ${state}`)
  })
}
