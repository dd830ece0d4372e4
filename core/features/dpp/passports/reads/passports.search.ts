import type { Knex } from 'knex'
import type { OrganizationCaller } from '../../../../kernel/caller.ts'
import { defaultPageRequest, type FilterNode } from '../../../../kernel/page.ts'
import type { Work } from '../../../../kernel/work.ts'
import { findSheetsByName, readSheetNames } from '../../sheets/index.ts'
import { PassportRow } from '../passports.model.ts'
import { listPassports } from '../passports.ts'
import type { Passport } from '../passports.schema.ts'
import { parseTokenBytes, tokenBytesSql } from '../token-bytes.ts'

/** A passport that a search has found. */
export interface FoundPassport {
  id: string
  /** The name of its product, or of its sheet. */
  name: string
  /** The number of the item, batch or model. */
  number: string | null
  reference: string | null
  status: Passport['status']
}

/** What a search has found: `exact` if the text is an identifier, a reference, a number, a token or a whole name. */
export interface PassportSearch {
  passports: FoundPassport[]
  isExact: boolean
  /** Whether there are more than these. */
  hasMore: boolean
}

/** The maximum number of passports that a search finds. */
const maxFound = 10
/** The maximum number of sheets whose passports a search looks at. */
const maxSheets = 20

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const decimalPattern = /^\d{1,78}$/
const tokenPattern = /^0x[0-9a-f]{1,64}$/i
const numberFields = ['product.modelNumber', 'product.batchNumber', 'product.itemNumber'] as const

/**
 * Finds passports of the caller's organization by what people know them by: the identifier, the reference, the number of
 * the model, batch or item, and the token; if none fits, by a part of the name.
 */
export async function searchPassports(work: Work, caller: OrganizationCaller, text: string): Promise<PassportSearch> {
  const exact = await findByFilters(work, caller, await createExactFilters(work, caller, text))
  if (exact.passports.length > 0) return { ...exact, isExact: true }
  const sheets = await findSheetsByName(work.trx, caller.organization, text, maxSheets)
  const named = await findByFilters(work, caller, [
    createFilter('product.name', text, 'contains'),
    ...sheets.map((sheet) => createFilter('product', sheet)),
  ])
  const isWhole = named.passports.every(({ name }) => name.toLowerCase() === text.toLowerCase())
  return { ...named, isExact: isWhole && named.passports.length > 0 }
}

const createFilter = (field: string, value: string, operator: 'eq' | 'contains' = 'eq'): FilterNode => ({
  field,
  operator,
  value,
  path: field,
})

async function createExactFilters({ trx }: Work, caller: OrganizationCaller, text: string): Promise<FilterNode[]> {
  const token = parseToken(text)
  const ofToken = token === null ? undefined : await findIdByToken(trx, caller.organization, token)
  const ids = [...(uuidPattern.test(text) ? [text.toLowerCase()] : []), ...(ofToken === undefined ? [] : [ofToken])]
  return [
    ...ids.map((id) => createFilter('id', id)),
    createFilter('reference', text),
    ...numberFields.map((field) => createFilter(field, text)),
  ]
}

/** Parses the id of a token, hexadecimal with `0x` or decimal as wallets show it; null for any other text. */
function parseToken(text: string): string | null {
  if (!tokenPattern.test(text) && !decimalPattern.test(text)) return null
  const digits = BigInt(text).toString(16)
  return digits.length > 64 ? null : `0x${digits.padStart(64, '0')}`
}

async function findIdByToken(trx: Knex, organization: string, tokenId: string): Promise<string | undefined> {
  const row = await PassportRow.query(trx)
    .select('passports.id')
    .modify('ofOrganization', organization)
    .whereRaw(`${tokenBytesSql} = ?`, [parseTokenBytes(tokenId)])
    .first()
  return row?.id
}

async function findByFilters(
  work: Work,
  caller: OrganizationCaller,
  filters: readonly FilterNode[],
): Promise<Omit<PassportSearch, 'isExact'>> {
  const { data, nextCursor } = await listPassports(work, caller, {
    ...defaultPageRequest,
    pageSize: maxFound,
    filters: { operator: 'and', value: [{ operator: 'or', value: filters }] },
  })
  const names = await readSheetNames(
    work.trx,
    data.flatMap(({ product }) => (typeof product === 'string' ? [product] : [])),
  )
  return { passports: data.map((passport) => presentFound(passport, names)), hasMore: nextCursor !== null }
}

function presentFound(
  { id, product, reference = null, status }: Passport,
  sheetNames: ReadonlyMap<string, string>,
): FoundPassport {
  if (typeof product === 'string') return { id, name: sheetNames.get(product) ?? '', number: null, reference, status }
  const getText = (member: string) => (typeof product[member] === 'string' ? product[member] : null)
  const number = getText('itemNumber') ?? getText('batchNumber') ?? getText('modelNumber')
  return { id, name: getText('name') ?? '', number, reference, status }
}
