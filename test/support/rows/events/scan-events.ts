import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'

/** A scan of a passport at a time. */
export interface NewScanEvent {
  organization: string
  application: string
  passport: string
  /** The sheet, or the product itself. */
  product: unknown
  at: Date
}

/** Inserts the event of a scan at a time of the test's choice, also of a passport that there is not. */
export async function insertScanEvent(
  db: Knex,
  { organization, application, passport, product, at }: NewScanEvent,
): Promise<void> {
  await db('events').insert({
    id: randomUUID(),
    organization,
    application,
    application_name: 'Bags',
    subject: 'dppPassport',
    type: 'scan',
    passport: JSON.stringify({ id: passport, product }),
    created_at: at,
  })
}
