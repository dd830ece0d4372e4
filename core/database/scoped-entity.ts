import type { ScopedEntity } from '../kernel/operation.ts'

/**
 * Creates what tells to which application the rows of a table belong, for keys that were made for one application.
 * @param table has the columns `organization` and `application`
 * @param idColumn the column by which requests name a row
 */
export const createScopedEntity = (table: string, idColumn = 'id'): ScopedEntity => ({
  isWithin: async (db, { organization, application }, id) =>
    (await db(table)
      .where({ organization, application, [idColumn]: id })
      .first<object | undefined>(idColumn)) !== undefined,
})
