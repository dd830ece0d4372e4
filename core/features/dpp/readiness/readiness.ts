import type { OrganizationCaller } from '../../../kernel/caller.ts'
import type { Work } from '../../../kernel/work.ts'
import { readProtectedTerms, getPassportAddress } from '../../certification/index.ts'
import { findPathsWithoutValue, getCertifiedContent } from '../content/index.ts'
import { getSheetValidator, validateSheetValues } from '../fields/index.ts'
import type { Finding, Readiness } from './answers.types.ts'
import {
  type NewProductPassport,
  type PassportRow,
  readOwnPassport,
  validateProductPassport,
} from '../passports/index.ts'
import { findSheetVersion, getSheetVersion, SheetRow, validateCertifiedPaths } from '../sheets/index.ts'
import { validateForUnion } from './rules/readiness.union.ts'
import { validateGs1 } from './rules/readiness.gs1.ts'
import { checkGtinOwnership } from './rules/gtin-owners.ts'
import { checkServedCertificate } from './rules/certificate.ts'
import { checkIssuer } from './rules/issuer.ts'
import { checkParentLinks } from './rules/readiness.links.ts'
import { createFinding } from './readiness.table.ts'
import { validateCodes, validateSubject } from './rules/readiness.untp.ts'
import { validateConsistency, type Values } from './rules/readiness.values.ts'
import { sortFindings, toFindings } from './rules/readiness.findings.ts'
import { checkWithdrawals } from './rules/withdrawals.ts'

/** The members of a passport that decide what the subject of its credential is. */
export type PassportContent = Pick<PassportRow, 'id' | 'product' | 'data' | 'fields' | 'certifiedPaths'>

/** Creates the answer from findings. The passport is ready if no finding is an error. */
export function createReadiness(found: readonly Finding[]): Readiness {
  const findings = sortFindings(found)
  return { ready: findings.every(({ severity }) => severity !== 'error'), findings }
}

/**
 * Reads the readiness of a passport of the caller's organization: what keeps it from being taken elsewhere, and what
 * will be asked of it. For a passport of a sheet, it validates the subject that is certified, whose `id` is generated.
 * It sends no request outside.
 * @throws NOT_FOUND
 */
export async function readReadiness(work: Work, caller: OrganizationCaller, id: string): Promise<Readiness> {
  const row = await readOwnPassport(work, caller, id)
  const contentFindings =
    row.product === null ? await validateStoredSheet(work, row) : await validateStoredProduct(work, row, row.product)
  return createReadiness([
    ...contentFindings,
    ...(await checkState(work, row)),
    ...(await checkIssuer(work, row.organization)),
  ])
}

async function validateStoredProduct(work: Work, row: PassportRow, product: Values): Promise<Finding[]> {
  const { trx } = work
  const { application, certifiedPaths } = row
  const body = { application, product, data: row.data ?? {}, certifiedPaths } as NewProductPassport
  return [
    ...validateProductContent(work, row, product),
    ...toFindings('passport', validateProductPassport(body, await readProtectedTerms(work.context.db, false))),
    ...(await checkParentLinks(trx, row, product, row)),
    ...(await checkGtinOwnership(trx, row.organization, product)),
  ]
}

async function validateStoredSheet(work: Work, row: PassportRow): Promise<Finding[]> {
  const sheet = await SheetRow.query(work.trx)
    .modify('ofOrganization', row.organization)
    .findById(row.sheet ?? '')
  if (!sheet) return []
  const own = (await findSheetVersion(work.trx, sheet, getSheetVersion(row))) ?? sheet
  return [...validateSheetContent(work, row, own), ...validateSheetVersion(row, own, sheet)]
}

/** Finds that a passport keeps an older version of its sheet's definitions because it does not fit the present ones. */
function validateSheetVersion({ fields }: PassportRow, own: SheetRow, sheet: SheetRow): Finding[] {
  const [issue] = own === sheet ? [] : validateSheetValues(sheet, fields, 'fields')
  return issue ? [createFinding('sheet_version_old', issue.path, `${issue.message}, by the definitions in force`)] : []
}

/**
 * Validates a product that describes itself, as the subject of a credential and against what those who look a product
 * up will ask for.
 */
export const validateProductContent = ({ context }: Work, content: PassportContent, product: Values): Finding[] => [
  // The credential of a product without an identifier has the address of its passport.
  ...validateSubject({ id: getPassportAddress(context, content.id), ...product }),
  ...validateSubjectValues(product, content.data ?? {}),
  ...validateCertifiablePaths({ ...content, product }, null),
]

/** Validates the values of a sheet and of its passport, and the subject that is made of both. */
export function validateSheetContent({ context }: Work, content: PassportContent, sheet: SheetRow): Finding[] {
  const { id, fields, certifiedPaths } = content
  const made = getCertifiedContent({ ...content, product: null, data: null }, sheet)
  const product = made?.product ?? { name: sheet.name, idGranularity: 'item', itemNumber: id }
  return [
    ...toFindings('sheet', getSheetValidator(sheet, 'productFields')(sheet.fields, 'sheet.fields')),
    ...toFindings('sheet', validateSheetValues(sheet, fields, 'fields')),
    ...toFindings('passport', validateCertifiedPaths(sheet, certifiedPaths)),
    ...validateAsSubject({ ...product, id: getPassportAddress(context, id) }, made?.data ?? {}).map(toSheetFinding),
    ...validateCertifiablePaths({ ...content, product: null }, sheet),
  ]
}

const validateAsSubject = (product: Values, data: Values): Finding[] => [
  ...validateSubject(product),
  ...validateSubjectValues(product, data),
]

const validateSubjectValues = (product: Values, data: Values): Finding[] => [
  ...validateCodes(product),
  ...validateGs1(product),
  ...validateConsistency(product),
  ...validateForUnion(product, data),
]

/** Converts the finding of a missing product member, which a sheet's passport can only get from a field. */
const toSheetFinding = (one: Finding): Finding =>
  one.code === 'untp_required' && /^product\.\w+$/.test(one.path)
    ? createFinding('untp_member_no_field', one.path, 'is missing, and the sheet has no certified field of this name')
    : one

/** Checks whether there is anything to certify, and which certified paths have no value yet. */
function validateCertifiablePaths(content: PassportContent, sheet: SheetRow | null): Finding[] {
  const waiting = findPathsWithoutValue(content, sheet).map((at) =>
    createFinding('certified_path_empty', `certifiedPaths[${at}]`, 'leads to no value yet'),
  )
  return getCertifiedContent(content, sheet) === null
    ? [
        createFinding('nothing_to_certify', 'certifiedPaths', 'leads to no value, so nothing can be certified'),
        ...waiting,
      ]
    : waiting
}

/** Checks the status of a passport, its certification, and what was withdrawn of it. */
async function checkState(work: Work, row: PassportRow): Promise<Finding[]> {
  const { id, status, certificationStatus } = row
  const withdrawn = await checkWithdrawals(work.trx, id)
  if (status === 'archived')
    return [...withdrawn, createFinding('archived', 'status', 'is archived, so there is no credential of it')]
  const found =
    status === 'draft'
      ? [...withdrawn, createFinding('not_published', 'status', 'is draft, so nobody outside can read the passport')]
      : withdrawn
  if (certificationStatus !== 'certified') {
    const what = `is ${certificationStatus}, so the data has no proof`
    return [...found, createFinding('not_certified', 'certificationStatus', what)]
  }
  return [...found, ...(await checkServedCertificate(work, row))]
}
