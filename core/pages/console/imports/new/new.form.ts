import type { MapperRow, FileField } from '../../../../features/imports/index.ts'

/**
 * The fields of the mapping form: `d3` and `p3` say where field 3 goes, `t3` which transforms its values need. `k3` and
 * `v3` say what else is filled, and with which value or columns in two braces; `c3` which transforms that needs.
 */
export type MappingForm = Readonly<Record<string, string>>

/** The value of a select that stands for a path in the text field beside it. */
export const otherPath = '*'

/** The numbers of further values that the page asks for: at least, beyond those that are there, and at most. */
export const furtherValues = { min: 4, empty: 2, max: 60 } as const

/** Parses a form into the rows of a mapper. */
export function parseMapping(form: MappingForm, fields: readonly FileField[]): MapperRow[] {
  const rows: MapperRow[] = []
  fields.forEach(({ id }, at) => {
    const chosen = (form[`d${at}`] ?? '').trim()
    const destination = chosen === otherPath ? (form[`p${at}`] ?? '').trim() : chosen
    if (destination === '') return
    const transforms = parseLines(form[`t${at}`])
    rows.push({ destination, kind: 'field', source: id, ...(transforms.length > 0 && { transforms }) })
  })
  const granularity = form['granularity'] ?? ''
  if (granularity !== '') rows.push({ destination: 'product.idGranularity', kind: 'constant', value: granularity })
  for (let at = 0; at < furtherValues.max; at++) {
    const destination = (form[`k${at}`] ?? '').trim()
    if (destination !== '') rows.push(parseFurtherValue(destination, form[`v${at}`] ?? '', parseLines(form[`c${at}`])))
  }
  return rows
}

const parseLines = (text = ''): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

function parseFurtherValue(destination: string, value: string, transforms: string[]): MapperRow {
  return {
    destination,
    kind: value.includes('{{') ? 'template' : 'constant',
    value,
    ...(transforms.length > 0 && { transforms }),
  }
}
