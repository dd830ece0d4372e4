import type { Knex } from 'knex'
import { v7 } from 'uuid'

/** Inserts demo environments that were taken away at a time. */
export async function insertRemovedDemos(
  db: Knex,
  { organization, count, at }: { organization: string; count: number; at: Date },
): Promise<void> {
  await db('demo_runs').insert(
    Array.from({ length: count }, () => {
      const id = v7()
      return {
        id,
        organization,
        run_id: id,
        scenario: 'passport',
        size: 1,
        network: 'EthereumAnvil',
        member: v7(),
        phase: 'remove',
        status: 'done',
        created_at: at,
        updated_at: at,
      }
    }),
  )
}
