import type { Knex } from 'knex'
import type { Network } from '../../../chains/networks.ts'
import type { ImportRow, RecordTarget, RowIssue } from '../../../kernel/ports/record-sink.ts'
import { maxRowIssues, toRowIssues } from '../../../kernel/ports/row-issues.ts'
import type { Issue } from '../../../kernel/problem.ts'
import { yieldToEventLoop } from '../../../kernel/process/event-loop.ts'
import { uuidPattern } from '../../../kernel/text/uuid.ts'
import type { Context } from '../../../kernel/work.ts'
import type { NetworkCheck } from '../../../meters/index.ts'
import { readProtectedTerms } from '../../certification/index.ts'
import { getUniqueKeys } from './import.keys.ts'
import { validateImportedBody } from './import.schema.ts'
import type { PreparedRow, RowContent } from './import.types.ts'
import { createNetworkCheck } from '../content/index.ts'
import { applyDefaults, validateSheetValues } from '../fields/index.ts'
import {
  isProductFlow,
  type NewPassport,
  type NewProductPassport,
  validateCertificateUri,
  validateProductPassport,
  validateSheetMembers,
} from '../passports/index.ts'
import { SheetRow, validateCertifiedPaths } from '../sheets/index.ts'

/** The number of rows that are validated before other work of the process gets a turn. */
const rowsPerTurn = 5
/** The time, in milliseconds, after which a single row gives other work a turn by itself. */
const longRowMs = 2

/** The context that rows are validated in. */
export interface RowContext {
  application: string
  network: Network | null
  checkNetwork: NetworkCheck
  /** The client that tells whether a certificate could be fetched. */
  outbound: Pick<Context['outbound'], 'findObjection'>
  /** The sheets that were looked up; null if the application has no sheet with that id. */
  sheets: Map<string, SheetRow | null>
  /** Names that the stored JSON-LD context of UNTP protects. */
  protectedTerms: ReadonlySet<string>
}

/**
 * Validates rows as the creation of a passport does, without writing. It takes the rows from the iterable one by one.
 */
export async function validateRows(
  context: Context,
  options: RecordTarget,
  rows: Iterable<ImportRow>,
): Promise<PreparedRow[]> {
  const rowContext = await createRowContext(context, options, await readProtectedTerms(context.db, false))
  const prepared: PreparedRow[] = []
  for (const some of splitIntoChunks(rows)) {
    await loadSheets(
      context.db,
      options.organization,
      rowContext,
      some.map(({ body }) => body),
    )
    for (const row of some) {
      const began = performance.now()
      prepared.push(prepareRow(row, rowContext))
      if (performance.now() - began > longRowMs) await yieldToEventLoop()
    }
    await yieldToEventLoop()
  }
  return prepared
}

function* splitIntoChunks(rows: Iterable<ImportRow>): Generator<ImportRow[]> {
  let chunk: ImportRow[] = []
  for (const row of rows) {
    if (chunk.push(row) < rowsPerTurn) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}

/** Creates the context for the rows of an import, without any sheet yet. */
export async function createRowContext(
  context: Context,
  { organization, application, network }: RecordTarget,
  protectedNames: ReadonlySet<string>,
): Promise<RowContext> {
  return {
    application,
    network: network as Network | null,
    checkNetwork: await createNetworkCheck(context, context.db, organization),
    outbound: context.outbound,
    sheets: new Map(),
    protectedTerms: protectedNames,
  }
}

/**
 * Reads the sheets of the application that rows name and that were not looked up yet, in one query. One of another
 * application is like one that does not exist: whoever imports may know nothing of that application.
 */
export async function loadSheets(
  db: Knex,
  organization: string,
  { sheets, application }: RowContext,
  bodies: readonly unknown[],
): Promise<void> {
  const unknown = new Set<string>()
  for (const body of bodies) {
    const product = (body as { product?: unknown } | null)?.product
    if (typeof product !== 'string' || !uuidPattern.test(product)) continue
    const id = product.toLowerCase()
    if (!sheets.has(id)) unknown.add(id)
  }
  if (unknown.size === 0) return
  const found = await SheetRow.query(db)
    .modify('ofOrganization', organization)
    .where({ application })
    .whereIn('id', [...unknown])
  for (const id of unknown) sheets.set(id, null)
  for (const sheet of found) sheets.set(sheet.id, sheet)
}

/** Validates one row as the creation of a passport does. */
export function prepareRow(row: ImportRow, rowContext: RowContext): PreparedRow {
  const { line, body, errors } = row
  if (errors.length > 0) return createRefusedRow(line, errors.slice(0, maxRowIssues))
  const issues = validateImportedBody(body)
  if (issues.length > 0) return createRefusedRow(line, toRowIssues(issues, body))
  const validation = validateRowContent(addApplication(body as NewPassport, rowContext.application), rowContext)
  if ('content' in validation) return { line, ...validation, keys: getUniqueKeys(validation.body), errors: [] }
  return createRefusedRow(line, toRowIssues(validation.issues, body))
}

const createRefusedRow = (line: number, errors: readonly RowIssue[]): PreparedRow => ({
  line,
  body: null,
  content: null,
  keys: null,
  errors,
})

const addApplication = (body: NewPassport, application: string): NewPassport =>
  body.application === undefined ? { ...body, application } : body

type RowValidation = { body: NewPassport; content: RowContent } | { issues: Issue[] }

function validateRowContent(body: NewPassport, rowContext: RowContext): RowValidation {
  if (body.application?.toLowerCase() !== rowContext.application) {
    return { issues: [{ path: 'application', code: 'mismatch', message: 'is not the application of the import' }] }
  }
  const unreachable = validateCertificateUri(rowContext.outbound, body.certificateUri)
  if (unreachable.length > 0) return { issues: unreachable }
  const validation = isProductFlow(body) ? validateProductRow(body, rowContext) : validateSheetRow(body, rowContext)
  if ('issues' in validation) return validation
  const { content } = validation
  const texts = content.flow === 'sheet' ? [content.fields] : [content.product, content.data]
  const isUnstorable = [...texts, body.reference ?? ''].some(hasUnstorableText)
  return isUnstorable
    ? { issues: [{ path: '', code: 'text', message: 'has a character that is not text' }] }
    : validation
}

function validateProductRow(
  body: NewProductPassport,
  { network, checkNetwork, protectedTerms: protectedTermNames }: RowContext,
): RowValidation {
  const issues = validateProductPassport(body, protectedTermNames)
  const wanted = body.network ?? network
  const networkIssue = body.network === undefined ? undefined : checkNetwork(body.network)
  if (networkIssue) issues.push(networkIssue)
  if (issues.length > 0) return { issues }
  const { product, data = {} } = body
  return {
    body,
    content: { flow: 'product', network: wanted, product: JSON.stringify(product), data: JSON.stringify(data) },
  }
}

function validateSheetRow(body: NewPassport, { sheets }: RowContext): RowValidation {
  const sheet = sheets.get((body.product as string).toLowerCase())
  const foreign = validateSheetMembers(body)
  if (foreign.length > 0) return { issues: foreign }
  if (!sheet) return { issues: [{ path: 'product', code: 'not_found', message: 'names no sheet of the application' }] }
  const { fields = {}, certifiedPaths = [] } = body
  const issues = [...validateSheetValues(sheet, fields, 'fields'), ...validateCertifiedPaths(sheet, certifiedPaths)]
  if (issues.length > 0) return { issues }
  const { id, version, schemaVersion, network } = sheet
  return {
    body,
    content: {
      flow: 'sheet',
      sheet: id,
      version,
      schemaVersion,
      network,
      fields: JSON.stringify(applyDefaults(sheet.passportsFields, fields)),
    },
  }
}

/**
 * Checks whether a text has NUL or half a surrogate pair, which the database cannot store; JSON can have both as
 * escapes.
 */
function hasUnstorableText(text: string): boolean {
  return text.includes('\0') || !text.isWellFormed() || (text.includes('\\u') && escapedHazardPattern.test(text))
}

const escapedHazardPattern = /(?:^|[^\\])(?:\\\\)*\\u(?:0000|d[89a-f])/
