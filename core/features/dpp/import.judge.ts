import type { Knex } from 'knex'
import type { Network } from '../../chains/networks.ts'
import type { Violation } from '../../kernel/problem.ts'
import { uuidText } from '../../kernel/uuid.ts'
import type { Context } from '../../kernel/work.ts'
import { keysOf } from './import.keys.ts'
import { importedBodyJudge } from './import.schema.ts'
import type { ImportOptions, ImportRow, PreparedRow, RowContent, RowProblem } from './import.types.ts'
import { unusable } from './networks.rules.ts'
import {
  isProductFlow, judgeCertificateUri, judgeCertifiedPaths, judgeProductPassport, judgeSheetMembers, judgeValues, storedValues,
  type NewProductPassport,
} from './passports.rules.ts'
import type { NewPassport } from './passports.schema.ts'
import { SheetRow } from './sheets.model.ts'

/** Problems told of one row. */
const mostTold = 10
/** Characters of a value that are told. */
const longestValue = 200

/** What rows are judged by beside themselves. */
export interface Surroundings {
  application: string
  network: Network | null
  usable: (network: string) => boolean
  /** Why a certificate could never be fetched. */
  outbound: Pick<Context['outbound'], 'objection'>
  /** Sheets that were asked for; null: the organization has none by that id. */
  sheets: Map<string, SheetRow | null>
  /** Names that the kept context of UNTP protects. */
  refused: ReadonlySet<string>
}

/** What the rows of an import are judged by. No sheet is known yet. */
export function surroundingsOf(context: Context, { application, network }: ImportOptions, refused: ReadonlySet<string>): Surroundings {
  const usable = (name: string) => context.chains.usable(name as Network)
  return { application, network: network as Network | null, usable, outbound: context.outbound, sheets: new Map(), refused }
}

/** Looks for the sheets that rows name and nobody has looked for yet, in one query. */
export async function learnSheets(
  db: Knex, organization: string, { sheets }: Surroundings, bodies: readonly unknown[],
): Promise<void> {
  const unknown = new Set<string>()
  for (const body of bodies) {
    const product = (body as { product?: unknown } | null)?.product
    if (typeof product !== 'string' || !uuidText.test(product)) continue
    const id = product.toLowerCase()
    if (!sheets.has(id)) unknown.add(id)
  }
  if (unknown.size === 0) return
  const found = await SheetRow.query(db).modify('ofOrganization', organization).whereIn('id', [...unknown])
  for (const id of unknown) sheets.set(id, null)
  for (const sheet of found) sheets.set(sheet.id, sheet)
}

/** Judges one row as the creation of a passport does. */
export function judgeRow(row: ImportRow, around: Surroundings): PreparedRow {
  const { line, body, errors } = row
  if (errors.length > 0) return refused(line, errors.slice(0, mostTold))
  const violations = importedBodyJudge(body)
  if (violations.length > 0) return refused(line, problemsOf(violations, body))
  const judged = contentOf(withApplication(body as NewPassport, around.application), around)
  if ('content' in judged) return { line, ...judged, keys: keysOf(judged.body), errors: [] }
  return refused(line, problemsOf(judged.violations, body))
}

const refused = (line: number, errors: readonly RowProblem[]): PreparedRow =>
  ({ line, body: null, content: null, keys: null, errors })

const withApplication = (body: NewPassport, application: string): NewPassport =>
  body.application === undefined ? { ...body, application } : body

type Judged = { body: NewPassport; content: RowContent } | { violations: Violation[] }

function contentOf(body: NewPassport, around: Surroundings): Judged {
  if (body.application?.toLowerCase() !== around.application) {
    return { violations: [{ path: 'application', code: 'mismatch', message: 'is not the application of the import' }] }
  }
  const unreachable = judgeCertificateUri(around.outbound, body.certificateUri)
  if (unreachable.length > 0) return { violations: unreachable }
  const judged = isProductFlow(body) ? productContent(body, around) : sheetContent(body, around)
  if ('violations' in judged) return judged
  const { content } = judged
  const texts = content.flow === 'sheet' ? [content.fields] : [content.product, content.data]
  const untold = [...texts, body.reference ?? ''].some(isHazard)
  return untold ? { violations: [{ path: '', code: 'text', message: 'has a character that is not text' }] } : judged
}

function productContent(body: NewProductPassport, { network, usable, refused }: Surroundings): Judged {
  const violations = judgeProductPassport(body, refused)
  const wanted = body.network ?? network
  if (body.network !== undefined && !usable(body.network)) violations.push(unusable(body.network))
  if (violations.length > 0) return { violations }
  const { product, data = {} } = body
  return {
    body, content: { flow: 'product', network: wanted, product: JSON.stringify(product), data: JSON.stringify(data) },
  }
}

function sheetContent(body: NewPassport, { sheets, application }: Surroundings): Judged {
  const sheet = sheets.get((body.product as string).toLowerCase())
  const foreign = judgeSheetMembers(body)
  if (foreign.length > 0) return { violations: foreign }
  if (!sheet) return { violations: [{ path: 'product', code: 'not_found', message: 'names no sheet of yours' }] }
  if (sheet.application !== application) {
    const message = 'names a sheet of another application than that of the import'
    return { violations: [{ path: 'product', code: 'mismatch', message }] }
  }
  const { fields = {}, certifiedPaths = [] } = body
  const violations = [...judgeValues(sheet, fields, 'fields'), ...judgeCertifiedPaths(sheet, certifiedPaths)]
  if (violations.length > 0) return { violations }
  const { id, version, schemaVersion, network } = sheet
  return {
    body,
    content: {
      flow: 'sheet', sheet: id, version, schemaVersion, network, fields: JSON.stringify(storedValues(sheet, fields)),
    },
  }
}

/** NUL and halves of surrogate pairs, which are no text for the database; JSON spells both behind an escape. */
function isHazard(text: string): boolean {
  return text.includes('\0') || !text.isWellFormed() || (text.includes('\\u') && escaped.test(text))
}

const escaped = /(?:^|[^\\])(?:\\\\)*\\u(?:0000|d[89a-f])/

/** The first violations with what they blame. */
export function problemsOf(violations: readonly Violation[], body: unknown): RowProblem[] {
  return violations.slice(0, mostTold).map(({ path, code, message }) =>
    ({ path, code, message, value: blamed(body, path) }))
}

/** What stands at a dotted path, as text; null where nothing does. */
function blamed(body: unknown, path: string): string | null {
  let value = body
  for (const part of path.split(/[.[\]]+/).filter((each) => each !== '')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return null
    value = (value as Record<string, unknown>)[part]
  }
  if (value === null || value === undefined || value === body) return null
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.slice(0, longestValue).replaceAll('\0', '\ufffd').toWellFormed()
}
