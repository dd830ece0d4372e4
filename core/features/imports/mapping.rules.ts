import type { Violation } from '../../kernel/problem.ts'
import { mostMapperRows, type MapperRow } from './mappers.schema.ts'
import { isSearch, readerOf } from './mapping.jsonpath.ts'
import { readRows } from './mapping.rows.ts'

/** Characters of a source or a destination, and transforms of a row. */
const longestSource = 500
const mostTransforms = 10
/** Uses of paths that lead to more than one place, as each of them walks through all of an item. */
const mostSearches = 50

/** All that is wrong with the rows of a mapper for files of a format. */
export function judgeRows(rows: readonly MapperRow[], format: 'json' | 'csv'): Violation[] {
  const wrong = [...sizesOf(rows), ...readRows(rows).wrong]
  if (format === 'csv') return wrong
  const sources = rows.map(sourcesOf)
  const named = sources.flat().map(({ source }) => source)
  const searching = new Set([...new Set(named)].filter(isSearch))
  const many = named.filter((source) => searching.has(source)).length > mostSearches
    ? [{ path: 'rows', code: 'too_many', message: `have more than ${mostSearches} paths that search` }] : []
  return [...wrong, ...sources.flat().flatMap(judgeSource), ...many]
}

/** What the schema of a mapper says of sizes: rows of a page have no schema, as those of the API have. */
function sizesOf(rows: readonly MapperRow[]): Violation[] {
  const many = rows.length > mostMapperRows
    ? [{ path: 'rows', code: 'max_items', message: `are more than ${mostMapperRows}` }] : []
  return [...many, ...rows.flatMap(({ source, destination, transforms = [] }, index) => [
    ...[['source', source], ['destination', destination]].flatMap(([member, text]) =>
      (typeof text === 'string' && text.length > longestSource
        ? [{ path: `rows[${index}].${member}`, code: 'too_long', message: `has more than ${longestSource} characters` }] : [])),
    ...transforms.length > mostTransforms
      ? [{ path: `rows[${index}].transforms`, code: 'max_items', message: `are more than ${mostTransforms}` }] : [],
  ])]
}

interface Named { source: string; path: string }

function sourcesOf({ kind, source, value }: MapperRow, index: number): Named[] {
  if (kind === 'template' && typeof value === 'string') {
    return placeholders(value).map((one) => ({ source: one, path: `rows[${index}].value` }))
  }
  if (source === undefined || kind === 'constant') return []
  if (typeof source === 'string') return [{ source, path: `rows[${index}].source` }]
  return source.map((one, at) => ({ source: one, path: `rows[${index}].source[${at}]` }))
}

const placeholders = (value: string) =>
  value.split('{{').slice(1, 100).map((piece) => piece.split('}}')[0]?.trim() ?? '')

function judgeSource({ source, path }: Named): Violation[] {
  if (source === '') return []
  const reader = source.length > longestSource ? `has more than ${longestSource} characters` : readerOf(source)
  return typeof reader === 'string' ? [{ path, code: 'jsonpath', message: reader }] : []
}
