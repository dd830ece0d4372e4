import type { MapperRow, FileField } from '../../../features/imports/index.ts'

/** The fields of the mapping form: `d3` and `p3` say where field 3 goes, `t3` which transforms its values need. */
export type MappingForm = Readonly<Record<string, string>>

/** The value of a select that stands for a path in the text field beside it. */
export const otherPath = '*'

/** The maximum number of values that are the same for all rows and can be entered on the page. */
export const maxFixedValues = 6

/** Parses a form into the rows of a mapper. */
export function parseMapping(form: MappingForm, fields: readonly FileField[]): MapperRow[] {
  const rows: MapperRow[] = []
  fields.forEach(({ id }, at) => {
    const chosen = (form[`d${at}`] ?? '').trim()
    const destination = chosen === otherPath ? (form[`p${at}`] ?? '').trim() : chosen
    if (destination === '') return
    const transforms = (form[`t${at}`] ?? '')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
    rows.push({ destination, kind: 'field', source: id, ...(transforms.length > 0 && { transforms }) })
  })
  const granularity = form['granularity'] ?? ''
  if (granularity !== '') rows.push({ destination: 'product.idGranularity', kind: 'constant', value: granularity })
  for (let at = 0; at < maxFixedValues; at++) {
    const destination = (form[`k${at}`] ?? '').trim()
    if (destination !== '') rows.push({ destination, kind: 'constant', value: form[`v${at}`] ?? '' })
  }
  return rows
}
