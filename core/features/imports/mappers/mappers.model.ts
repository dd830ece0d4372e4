import type { Knex } from 'knex'
import type { Modifiers } from 'objection'
import type { Columns } from '../../../database/list/index.ts'
import { Model } from '../../../database/model.ts'
import { createScopedEntity } from '../../../database/scoped-entity.ts'
import type { Context } from '../../../kernel/work.ts'
import type { OrganizationErasure } from '../../area.ts'
import { openHeaders } from './mappers.headers.ts'
import type { Mapper, MapperRow } from '../records/index.ts'

/** A row of `import_mappers`. */
export class MapperModel extends Model {
  declare organization: string
  declare application: string
  declare name: string
  declare entityName: Mapper['entityName']
  declare type: Mapper['type']
  declare format: Mapper['format']
  declare url: string | null
  declare schedule: string | null
  /** The headers, encrypted. */
  declare headers: Buffer | null
  declare rows: MapperRow[]
  declare etag: string | null
  declare onDuplicate: Mapper['onDuplicate']
  declare encoding: string | null
  declare delimiter: string | null
  declare sheet: string | null
  declare nextRunAt: string | null

  static override tableName = 'import_mappers'
  static override jsonAttributes = ['rows']

  static override modifiers: Modifiers = {
    ofOrganization: (query, organization: string) => void query.where('import_mappers.organization', organization),
  }
}

/** The fields of the list in SQL. */
export const mapperColumns: Columns = {
  id: { sql: 'import_mappers.id' },
  createdAt: { sql: 'import_mappers.created_at' },
  updatedAt: { sql: 'import_mappers.updated_at' },
  'application.id': { sql: 'import_mappers.application' },
  name: { sql: 'import_mappers.name' },
  type: { sql: 'import_mappers.type' },
}

/** Mappers, as requests name them. */
export const mapperEntity = createScopedEntity('import_mappers')

/** Presents a mapper as answers show it: only the names of its headers, not their values. */
export function presentMapper(context: Pick<Context, 'settings'>, row: MapperModel): Mapper {
  const {
    id,
    application,
    name,
    entityName,
    type,
    format,
    url,
    schedule,
    rows,
    onDuplicate,
    encoding,
    delimiter,
    sheet,
    nextRunAt,
    createdAt,
    updatedAt,
  } = row
  const headers = openHeaders(context, row, row.headers)
  return {
    id,
    application,
    entityName,
    name,
    type,
    format,
    url,
    schedule,
    headers: headers && Object.fromEntries(Object.keys(headers).map((header) => [header, null])),
    rows,
    onDuplicate,
    encoding,
    delimiter,
    sheet,
    nextRunAt,
    createdAt,
    updatedAt,
  }
}

/** Counts the mappers of an application. */
export const countMappers = (trx: Knex, application: string): Promise<number> =>
  MapperModel.query(trx).where({ application }).resultSize()

/** Deletes the mappers of a deleted organization, with the addresses that they fetch and the secrets of their headers. */
export const eraseMappers: OrganizationErasure = ({ organization, limit, runStep }) =>
  runStep(async (trx) =>
    MapperModel.query(trx)
      .whereIn('id', MapperModel.query(trx).modify('ofOrganization', organization).limit(limit).select('id'))
      .delete(),
  )
