import type { Modifiers } from 'objection'
import type { Network } from '../../../chains/networks.ts'
import type { Columns } from '../../../database/list/index.ts'
import { Model } from '../../../database/model.ts'
import type { FieldDefinition } from '../fields/index.ts'
import type { Sheet, SheetStatus } from './sheets.schema.ts'
import { createScopedEntity } from '../../../database/scoped-entity.ts'

/** A row of `sheets`. */
export class SheetRow extends Model {
  declare organization: string
  declare application: string
  declare network: Network
  declare name: string
  declare status: SheetStatus
  declare productFields: FieldDefinition[]
  declare passportsFields: FieldDefinition[]
  declare certifiedPaths: string[]
  declare fields: Record<string, unknown>
  /** A number that rises with every change of the sheet. */
  declare version: number
  /** A number that rises with every change of the definitions. */
  declare schemaVersion: number

  static override tableName = 'sheets'
  static override jsonAttributes = ['productFields', 'passportsFields', 'certifiedPaths', 'fields']

  static override modifiers: Modifiers = {
    ofOrganization: (query, organization: string) => void query.where('sheets.organization', organization),
  }
}

/** The SQL of the fields of the list. */
export const sheetColumns: Columns = {
  id: { sql: 'sheets.id' },
  createdAt: { sql: 'sheets.created_at' },
  updatedAt: { sql: 'sheets.updated_at' },
  'application.id': { sql: 'sheets.application' },
  name: { sql: 'sheets.name' },
  status: { sql: 'sheets.status' },
  network: { sql: 'sheets.network' },
}

/** Presents a sheet to everyone who may see it. */
export function presentSheet(row: SheetRow): Sheet {
  const { id, application, network, name, status, createdAt, updatedAt } = row
  const { productFields, passportsFields, certifiedPaths, fields, schemaVersion } = row
  return {
    id,
    application,
    network,
    name,
    status,
    productFields,
    passportsFields,
    certifiedPaths,
    fields,
    version: schemaVersion,
    createdAt,
    updatedAt,
  }
}

/** Sheets, as requests name them. */
export const sheetEntity = createScopedEntity('sheets')
