import type { Knex } from 'knex'

/** Inserts an error of an import whose path names a field by the address of a person, as a row of a file can do. */
export async function mentionInImportErrors(db: Knex, job: string, address: string): Promise<void> {
  await db('import_errors').insert({
    job,
    line: 9,
    path: `fields.${address}`,
    code: 'unknown_member',
    message: 'is no field',
  })
}
