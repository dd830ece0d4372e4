import type { Knex } from 'knex'

/**
 * Locks the sheets of an application, which go with it. The creation of a passport locks the sheet before the
 * application; the opposite order here would cause a deadlock.
 * @returns a function that tells whether the application has passports, or a sheet that was created after the lock
 */
export async function blockApplication(trx: Knex, application: string): Promise<() => Promise<boolean>> {
  const sheets = await trx('sheets').where({ application }).orderBy('id').forUpdate().pluck<string[]>('id')
  return async () => {
    const {
      rows: [found],
    } = await trx.raw<{ rows: { used: boolean }[] }>(
      `select exists (select from passports where application = :application)
         or exists (select from sheets where application = :application and id <> all(:sheets::uuid[])) as used`,
      { application, sheets },
    )
    return found?.used === true
  }
}
