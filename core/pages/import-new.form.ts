import type { MapperRow, FileField } from '../features/imports/index.ts'

/** The fields of the mapping form: `d3` and `p3` say where field 3 goes, `t3` what is done to its values. */
export type MappingForm = Readonly<Record<string, string>>

/** What stands in a select for a path that is written beside it. */
export const otherPath = '*'

/** Values that are the same for all rows: so many of them can be written on the page. */
export const fixedValues = 6

/** The rows of a mapper that a filled-in form says. */
export function readMapping(form: MappingForm, fields: readonly FileField[]): MapperRow[] {
  const rows: MapperRow[] = []
  fields.forEach(({ id }, at) => {
    const chosen = (form[`d${at}`] ?? '').trim()
    const destination = chosen === otherPath ? (form[`p${at}`] ?? '').trim() : chosen
    if (destination === '') return
    const transforms = (form[`t${at}`] ?? '').split('\n').map((line) => line.trim()).filter((line) => line !== '')
    rows.push({ destination, kind: 'field', source: id, ...(transforms.length > 0 && { transforms }) })
  })
  const granularity = form['granularity'] ?? ''
  if (granularity !== '') rows.push({ destination: 'product.idGranularity', kind: 'constant', value: granularity })
  for (let at = 0; at < fixedValues; at++) {
    const destination = (form[`k${at}`] ?? '').trim()
    if (destination !== '') rows.push({ destination, kind: 'constant', value: form[`v${at}`] ?? '' })
  }
  return rows
}
