import type { Knex } from 'knex'

/** Counts the uploads of an organization that are kept, those that go on included. */
export async function countUploads(db: Knex, organization: string): Promise<number> {
  const [row] = await db('import_uploads').where({ organization }).count<{ count: string }[]>('*')
  return Number(row?.count)
}
