import type { Knex } from 'knex'
import { v7 } from 'uuid'

/** Events of passports to write, with what an earlier version stored of the passports. */
export interface EarlierPassportEvents {
  organization: string
  application: string
  passports: readonly object[]
}

/** Inserts an event of each of these passports, which keeps it whole. @returns the events' ids, in their order */
export async function insertEarlierPassportEvents(
  db: Knex,
  { organization, application, passports }: EarlierPassportEvents,
): Promise<string[]> {
  const rows = passports.map((passport) => ({
    id: v7(),
    organization,
    application,
    application_name: 'Old',
    subject: 'dppPassport',
    type: 'update',
    passport,
  }))
  await db('events').insert(rows)
  return rows.map(({ id }) => id)
}

/** Lists what these events keep of their passports, in the order of the events. */
export async function listPassportsOfEvents(db: Knex, ids: readonly string[]): Promise<unknown[]> {
  return db('events').whereIn('id', ids).orderBy('id').pluck<unknown[]>('passport')
}

/** Lists what all events of a passport keep of it, which the API shows only a part of. */
export async function listStoredPassports(db: Knex, passport: string): Promise<unknown[]> {
  return db('events').where({ passport_id: passport }).pluck<unknown[]>('passport')
}

/** Deletes the events of an application, so that later tests do not find them. */
export async function deleteEvents(db: Knex, application: string): Promise<void> {
  await db('events').where({ application }).delete()
}
