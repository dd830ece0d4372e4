import type { FileField, MapperRow } from '../../../../features/imports/index.ts'

/** The name of assignments in imports. */
export const entityName = 'AccountAssignment'

const heading = ['email', 'phoneNumber', 'optimisticBalance', 'rewardTier']

/** A line with an address or a number is about a person, and no heading. */
const personPattern = /[^\s;,]@[^\s;,]|\+\d[\d ().-]{5,}/

/** Adds a heading to a pasted table without one: e-mail, phone, points, tier, in this order. */
export function addHeader(text: string): string {
  const [first = ''] = text.trimStart().split(/[\r\n]/, 1)
  if (!personPattern.test(first)) return text
  const delimiter = ['\t', ';', ','].find((sign) => first.includes(sign)) ?? ';'
  const columns = first.split(delimiter).length
  return `${heading.slice(0, Math.max(columns, 1)).join(delimiter)}\n${text.trimStart()}`
}

/** The fields of the form of columns: `d3` says where column 3 goes, `t3` what its values need. */
export type ColumnForm = Readonly<Record<string, string>>

/** Parses the form of columns into the rows of a mapper. */
export const parseColumns = (form: ColumnForm, fields: readonly FileField[]): MapperRow[] =>
  fields.flatMap(({ id }, at): MapperRow[] => {
    const destination = form[`d${at}`] ?? ''
    if (destination === '') return []
    const transforms = (form[`t${at}`] ?? '').split('\n').filter((one) => one !== '')
    return [{ destination, kind: 'field', source: id, ...(transforms.length > 0 && { transforms }) }]
  })
