import type { MapperRow } from '../../../../core/features/imports/index.ts'
import { passportSink } from '../../../../core/features/dpp/index.ts'
import { compileMapper } from '../../../../core/features/imports/mapping/mapping.ts'
import { validateMapperRows } from '../../../../core/features/imports/mapping/mapping.rules.ts'

export const field = (destination: string, source: string, more: Partial<MapperRow> = {}): MapperRow => ({
  destination,
  kind: 'field',
  source,
  ...more,
})

export const json = (rows: MapperRow[], item: unknown) => compileMapper(rows, { format: 'json' }, passportSink)(item)

export const faults = (rows: MapperRow[], format: 'csv' | 'json' = 'csv') =>
  validateMapperRows(rows, format, passportSink).map(({ path, code }) => `${path} ${code}`)
