import type { Knex } from 'knex'

/** Deletes an application with its accounts, which keep it from being deleted by a request. */
export async function deleteApplication(db: Knex, application: string): Promise<void> {
  await db.transaction(async (trx) => {
    const accounts = trx('accounts').where({ application }).select('id')
    await trx('sessions').whereIn('account', accounts).update({ account: null })
    await trx('accounts').where({ application }).delete()
    await trx('applications').where({ id: application }).delete()
  })
}
