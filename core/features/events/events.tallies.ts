import type { Knex } from 'knex'

/** What is counted without an event of its own, because it happens to many at once. */
export const tallyCodes = ['passportsMinted', 'scans', 'certified', 'certifyFailed', 'importsCompleted'] as const
export type TallyCode = (typeof tallyCodes)[number]

export interface NewTally {
  organization: string
  application: string
  code: TallyCode
  number: number
}

/** Counts something that happened, in the transaction in which it does. A tally of nothing is left out. */
export async function recordTallies(trx: Knex, tallies: readonly NewTally[]): Promise<void> {
  const counted = tallies.filter(({ number }) => number > 0)
  if (counted.length === 0) return
  await trx.raw(
    `insert into event_tallies (organization, application, code, number)
     select * from unnest(?::uuid[], ?::uuid[], ?::text[], ?::int[])`,
    [
      counted.map(({ organization }) => organization),
      counted.map(({ application }) => application),
      counted.map(({ code }) => code),
      counted.map(({ number }) => number),
    ] as Knex.RawBinding[],
  )
}

/**
 * The SQL of what was recorded in a time, of all organizations: `organization`, `application`, `code`, `at`, `number`.
 * The code of an event is its subject and its type, that of a tally its own. Bindings: from, until, from, until.
 */
export const recordedEventsSql = `
  select organization, application, subject || '.' || type as code, created_at as at, 1 as number from events
  where created_at >= ?::timestamptz and created_at < ?::timestamptz
  union all
  select organization, application, code, created_at, number from event_tallies
  where created_at >= ?::timestamptz and created_at < ?::timestamptz`
