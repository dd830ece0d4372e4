import type { OrganizationCaller } from '../../kernel/caller.ts'
import type { Work } from '../../kernel/work.ts'
import { keptProtectedTerms, passportAddress } from '../certification/index.ts'
import { certifiedContent, pathsWithoutValue } from './certified.ts'
import { sheetValidator } from './fields.ts'
import type { Finding, Readiness } from './open.types.ts'
import type { PassportRow } from './passports.model.ts'
import { judgeCertifiedPaths, judgeProductPassport, judgeValues, type NewProductPassport } from './passports.rules.ts'
import { readOwnPassport } from './passports.ts'
import { judgeForUnion } from './readiness.eu.ts'
import { judgeGs1 } from './readiness.gs1.ts'
import { judgeOwnership } from './gtins/readiness.ts'
import { judgeCertificate } from './readiness/certificate.ts'
import { judgeIssuer } from './readiness/issuer.ts'
import { judgeLinks } from './readiness.links.ts'
import { finding } from './readiness.table.ts'
import { judgeCodes, judgeSubject } from './readiness.untp.ts'
import { judgeSense, type Values } from './readiness.values.ts'
import { inOrder, ofViolations } from './readiness.violations.ts'
import { SheetRow } from './sheets.model.ts'
import { sheetAsOf, sheetVersionOf } from './versions/versions.ts'
import { judgeWithdrawals } from './withdrawals/readiness.ts'

/** What of a passport decides about the subject that its credential has. */
export type Content = Pick<PassportRow, 'id' | 'product' | 'data' | 'fields' | 'certifiedPaths'>

/** The answer: ready where nothing found is an error. */
export function readinessOf(found: readonly Finding[]): Readiness {
  const findings = inOrder(found)
  return { ready: findings.every(({ severity }) => severity !== 'error'), findings }
}

/**
 * What keeps a passport of the caller's organization from being taken elsewhere, and what will be asked of it. Of a
 * sheet's passport the subject is judged that it is certified with, whose `id` is made. Nothing outside is asked.
 * @throws NOT_FOUND
 */
export async function readReadiness(work: Work, caller: OrganizationCaller, id: string): Promise<Readiness> {
  const row = await readOwnPassport(work, caller, id)
  const judged = row.product === null ? await judgeOfSheet(work, row) : await judgeOfProduct(work, row, row.product)
  return readinessOf([...judged, ...await judgeState(work, row), ...await judgeIssuer(work, row.organization)])
}

async function judgeOfProduct(work: Work, row: PassportRow, product: Values): Promise<Finding[]> {
  const { trx } = work
  const { application, certifiedPaths } = row
  const body = { application, product, data: row.data ?? {}, certifiedPaths } as NewProductPassport
  return [
    ...judgeProduct(work, row, product), ...ofViolations('passport', judgeProductPassport(body, await keptProtectedTerms(work.context.db, false))),
    ...await judgeLinks(trx, row, product, row), ...await judgeOwnership(trx, row.organization, product),
  ]
}

async function judgeOfSheet(work: Work, row: PassportRow): Promise<Finding[]> {
  const sheet = await SheetRow.query(work.trx).modify('ofOrganization', row.organization).findById(row.sheet ?? '')
  if (!sheet) return []
  const own = await sheetAsOf(work.trx, sheet, sheetVersionOf(row)) ?? sheet
  return [...judgeSheet(work, row, own), ...judgeVersion(row, own, sheet)]
}

/** A passport that keeps an older version of its sheet's definitions, as it does not fit those in force. */
function judgeVersion({ fields }: PassportRow, own: SheetRow, sheet: SheetRow): Finding[] {
  const [violation] = own === sheet ? [] : judgeValues(sheet, fields, 'fields')
  return violation ? [finding('sheet_version_old', violation.path, `${violation.message}, by the definitions in force`)] : []
}

/** A product that describes itself, as a subject and as who looks for a product will ask. */
export const judgeProduct = ({ context }: Work, content: Content, product: Values): Finding[] => [
  // Of a product without an identifier the credential has the address of its passport.
  ...judgeSubject({ id: passportAddress(context, content.id), ...product }), ...judgeValuesOf(product, content.data ?? {}),
  ...judgeCertifiable({ ...content, product }, null),
]

/** Values of a sheet and of its passport, and the subject that is made of both. */
export function judgeSheet({ context }: Work, content: Content, sheet: SheetRow): Finding[] {
  const { id, fields, certifiedPaths } = content
  const made = certifiedContent({ ...content, product: null, data: null }, sheet)
  const product = made?.product ?? { name: sheet.name, idGranularity: 'item', itemNumber: id }
  return [
    ...ofViolations('sheet', sheetValidator(sheet, 'productFields')(sheet.fields, 'sheet.fields')),
    ...ofViolations('sheet', judgeValues(sheet, fields, 'fields')),
    ...ofViolations('passport', judgeCertifiedPaths(sheet, certifiedPaths)),
    ...judgeAsSubject({ ...product, id: passportAddress(context, id) }, made?.data ?? {}).map(asOfSheet),
    ...judgeCertifiable({ ...content, product: null }, sheet),
  ]
}

const judgeAsSubject = (product: Values, data: Values): Finding[] => [...judgeSubject(product), ...judgeValuesOf(product, data)]

const judgeValuesOf = (product: Values, data: Values): Finding[] => [
  ...judgeCodes(product), ...judgeGs1(product), ...judgeSense(product),
  ...judgeForUnion(product, data),
]

/** A member that the product of a sheet lacks can come from a field only. */
const asOfSheet = (one: Finding): Finding => one.code === 'untp_required' && /^product\.\w+$/.test(one.path)
  ? finding('untp_member_no_field', one.path, 'is missing, and the sheet has no certified field of this name')
  : one

/** Whether there is anything to certify, and which certified paths wait for a value. */
function judgeCertifiable(content: Content, sheet: SheetRow | null): Finding[] {
  const waiting = pathsWithoutValue(content, sheet).map((at) =>
    finding('certified_path_empty', `certifiedPaths[${at}]`, 'leads to no value yet'))
  return certifiedContent(content, sheet) === null
    ? [finding('nothing_to_certify', 'certifiedPaths', 'leads to no value, so nothing can be certified'), ...waiting]
    : waiting
}

/** How far the passport has come, and what of it was withdrawn. */
async function judgeState(work: Work, row: PassportRow): Promise<Finding[]> {
  const { id, status, certificationStatus } = row
  const withdrawn = await judgeWithdrawals(work.trx, id)
  if (status === 'archived') return [...withdrawn, finding('archived', 'status', 'is archived, so there is no credential of it')]
  const found = status === 'draft'
    ? [...withdrawn, finding('not_published', 'status', 'is draft, so nobody outside can read the passport')]
    : withdrawn
  if (certificationStatus !== 'certified') {
    const what = `is ${certificationStatus}, so the data has no proof`
    return [...found, finding('not_certified', 'certificationStatus', what)]
  }
  return [...found, ...await judgeCertificate(work, row)]
}
