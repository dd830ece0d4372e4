import { foldCase } from '../../tools/own/applications.ts'
import type { ApiReader } from '../../tools/own/own-tool.ts'
import type { ExposedOperation, ListSearch } from '../../tools/catalogue/operations.ts'
import { isRecord, type Schema } from '../../tools/openapi.ts'

/** The ids that fit, the best first, and how many rows fit in all. */
export interface FoundIds {
  readonly ids: readonly string[]
  readonly total: number
}

interface ListPage {
  readonly rows: readonly Schema[]
  readonly total: number
}

/**
 * Finds the ids of the rows that a text means: the row with exactly this id, then those of which a searched field is
 * the text, then those of which one contains it, in the order of the fields. It asks the list itself, at most three
 * times and for one page, so that its cost does not grow with the list, and a caller sees only what the list shows.
 * @param path the path of the list, filled and percent-encoded
 * @param isUuid the ids are UUIDs; another text is then no id
 */
export async function findIds(
  text: string,
  list: ExposedOperation,
  path: string,
  { read, maxIds, isUuid }: { read: ApiReader; maxIds: number; isUuid: boolean },
): Promise<FoundIds> {
  const search = list.search ?? new Map<string, readonly string[]>()
  const readPage = async (filters: readonly Schema[]) => parsePage(await read(formatPath(path, list, maxIds, filters)))
  if (text === '') {
    const { rows, total } = await readPage([])
    return { ids: rows.map(getId), total }
  }
  const [idConditions, ...others] = listConditions(text, search, isUuid)
  const [byId, equal, containing] = await Promise.all(
    [idConditions ?? [], ...others].map(async (conditions) =>
      conditions.length === 0 ? emptyPage : await readPage(joinConditions(conditions)),
    ),
  )
  const ranked = rankRows((containing ?? emptyPage).rows, foldCase(text), [...search.keys()])
  const rows = [...(byId ?? emptyPage).rows, ...(equal ?? emptyPage).rows, ...ranked]
  const ids = [...new Set(rows.map(getId))]
  // The last request finds all but the row with the id, which it may find too.
  const found = containing ?? emptyPage
  const apart = (byId ?? emptyPage).rows.filter((row) => !found.rows.some((other) => getId(other) === getId(row)))
  return { ids, total: Math.max(ids.length, found.total + apart.length) }
}

const emptyPage: ListPage = { rows: [], total: 0 }

/** Lists the conditions of the three requests. The last one includes those of the second one. */
function listConditions(text: string, search: ListSearch, isUuid: boolean): Schema[][] {
  const createCondition = (field: string, operator: string): Schema => ({ field, operator, value: text })
  const fields = [...search].filter(([field]) => field !== 'id')
  const listBy = (wanted: string) =>
    fields.filter(([, operators]) => operators.includes(wanted)).map(([field]) => createCondition(field, wanted))
  const canBeId = (search.get('id')?.includes('eq') ?? false) && (!isUuid || uuidPattern.test(text))
  const equal = listBy('eq')
  return [canBeId ? [createCondition('id', 'eq')] : [], equal, [...equal, ...listBy('contains')]]
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const joinConditions = (conditions: readonly Schema[]): Schema[] =>
  conditions.length === 1 ? [...conditions] : [{ operator: 'or', value: conditions }]

function formatPath(
  path: string,
  { parameters, search }: ExposedOperation,
  maxIds: number,
  filters: readonly Schema[],
) {
  const has = (name: string) => parameters.some((one) => one.in === 'query' && one.name === name)
  const members = ['id', ...(search?.keys() ?? [])].filter((field, index, all) => all.indexOf(field) === index)
  const pairs = [
    ...(has('pageSize') ? [`pageSize=${maxIds}`] : []),
    ...(has('fields') ? [`fields=${encodeURIComponent(members.join(','))}`] : []),
    ...(filters.length === 0 ? [] : [`filters=${encodeURIComponent(JSON.stringify(filters))}`]),
  ]
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
}

function parsePage(body: unknown): ListPage {
  const data: unknown = isRecord(body) ? body['data'] : body
  const rows = (Array.isArray(data) ? data : []).filter(
    (row): row is Schema => isRecord(row) && typeof row['id'] === 'string',
  )
  const total = isRecord(body) ? body['total'] : undefined
  return { rows, total: typeof total === 'number' ? total : rows.length }
}

const getId = (row: Schema) => String(row['id'])

/** Sorts rows by the first field that contains the text; rows of the same field keep their order. */
function rankRows(rows: readonly Schema[], wanted: string, fields: readonly string[]): Schema[] {
  const rank = (row: Schema) => {
    const found = fields.findIndex((field) => foldCase(getText(row, field)).includes(wanted))
    return found < 0 ? fields.length : found
  }
  return rows.toSorted((a, b) => rank(a) - rank(b))
}

/** Returns the text at a dotted path; an empty text if there is none. */
function getText(row: Schema, path: string): string {
  const value = path.split('.').reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), row)
  return typeof value === 'string' ? value : ''
}
