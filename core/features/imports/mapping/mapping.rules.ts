import type { Issue } from '../../../kernel/problem.ts'
import { type MapperRow, maxMapperRows } from '../records/index.ts'
import { isSearchPath, compileJsonPath } from './mapping.jsonpath.ts'
import type { RecordShape } from './mapping.paths.ts'
import { parseMapperRows } from './mapping.rows.ts'

/** The maximum length of a source or a destination, and the maximum number of transforms of a row. */
const maxSourceLength = 500
const maxTransforms = 10
/** The maximum number of uses of paths that lead to several places, because each use walks through a whole item. */
const maxSearches = 50

/** Validates the rows of a mapper for files of a format. */
export function validateMapperRows(rows: readonly MapperRow[], format: 'json' | 'csv', records: RecordShape): Issue[] {
  const issues = [...validateSizes(rows), ...parseMapperRows(rows, records).issues]
  if (format === 'csv') return issues
  const sources = rows.map(listSources)
  const named = sources.flat().map(({ source }) => source)
  const searching = new Set([...new Set(named)].filter(isSearchPath))
  const many =
    named.filter((source) => searching.has(source)).length > maxSearches
      ? [{ path: 'rows', code: 'too_many', message: `have more than ${maxSearches} paths that search` }]
      : []
  return [...issues, ...sources.flat().flatMap(validateSource), ...many]
}

/**
 * Validates the limits that the schema of a mapper has too: rows of a page are not checked against a schema, rows of
 * the API are.
 */
function validateSizes(rows: readonly MapperRow[]): Issue[] {
  const many =
    rows.length > maxMapperRows ? [{ path: 'rows', code: 'max_items', message: `are more than ${maxMapperRows}` }] : []
  return [
    ...many,
    ...rows.flatMap(({ source, destination, transforms = [] }, index) => [
      ...[
        ['source', source],
        ['destination', destination],
      ].flatMap(([member, text]) =>
        typeof text === 'string' && text.length > maxSourceLength
          ? [
              {
                path: `rows[${index}].${member}`,
                code: 'too_long',
                message: `has more than ${maxSourceLength} characters`,
              },
            ]
          : [],
      ),
      ...(transforms.length > maxTransforms
        ? [{ path: `rows[${index}].transforms`, code: 'max_items', message: `are more than ${maxTransforms}` }]
        : []),
    ]),
  ]
}

interface NamedSource {
  source: string
  path: string
}

function listSources({ kind, source, value }: MapperRow, index: number): NamedSource[] {
  if (kind === 'template' && typeof value === 'string') {
    return listPlaceholders(value).map((one) => ({ source: one, path: `rows[${index}].value` }))
  }
  if (source === undefined || kind === 'constant') return []
  if (typeof source === 'string') return [{ source, path: `rows[${index}].source` }]
  return source.map((one, at) => ({ source: one, path: `rows[${index}].source[${at}]` }))
}

const listPlaceholders = (value: string) =>
  value
    .split('{{')
    .slice(1, 100)
    .map((piece) => piece.split('}}')[0]?.trim() ?? '')

function validateSource({ source, path }: NamedSource): Issue[] {
  if (source === '') return []
  const reader =
    source.length > maxSourceLength ? `has more than ${maxSourceLength} characters` : compileJsonPath(source)
  return typeof reader === 'string' ? [{ path, code: 'jsonpath', message: reader }] : []
}
