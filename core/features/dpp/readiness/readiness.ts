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
  readWithdrawals,
  validateProductPassport,
  type Withdrawal,
} from '../passports/index.ts'
import { readVersionedSheets, type SheetRow, validateCertifiedPaths, type VersionedSheet } from '../sheets/index.ts'
import { validateForUnion } from './rules/readiness.union.ts'
import { validateGs1 } from './rules/readiness.gs1.ts'
import { readGtinsOfOthers, validateGtinOwnership } from './rules/gtin-owners.ts'
import { type CertificateRow, readServedCertificates, validateServedCertificate } from './rules/certificate.ts'
import { checkIssuer } from './rules/issuer.ts'
import { readParentStates, validateParentLinks } from './rules/readiness.links.ts'
import { createFieldExample, findCertifiablePath } from './readiness.examples.ts'
import { createFinding } from './readiness.table.ts'
import { validateCodes, validateSubject } from './rules/readiness.untp.ts'
import { validateConsistency, type Values } from './rules/readiness.values.ts'
import { sortFindings, toFindings } from './rules/readiness.findings.ts'
import { validateWithdrawals } from './rules/withdrawals.ts'

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
  const issuerFindings = await checkIssuer(work, row.organization)
  return validateStoredPassport(work, row, await readPassportFacts(work, row.organization, [row]), issuerFindings)
}

/** What the database knows about passports besides their own rows, by passport. */
export interface PassportFacts {
  protectedTerms: ReadonlySet<string>
  sheets: ReadonlyMap<string, VersionedSheet>
  parentStates: Awaited<ReturnType<typeof readParentStates>>
  gtinsOfOthers: ReadonlySet<string>
  withdrawals: ReadonlyMap<string, readonly Withdrawal[]>
  certificates: ReadonlyMap<string, CertificateRow>
}

/** Reads what the readiness of these passports needs. The number of statements does not grow with the passports. */
export async function readPassportFacts(
  { trx, context }: Work,
  organization: string,
  rows: readonly PassportRow[],
): Promise<PassportFacts> {
  const products = rows.flatMap(({ id, application, product }) => (product ? [{ id, application, product }] : []))
  const certified = rows.filter(isServed)
  return {
    protectedTerms: await readProtectedTerms(context.db, false),
    sheets: await readVersionedSheets(trx, organization, rows),
    parentStates: await readParentStates(trx, organization, products),
    gtinsOfOthers: await readGtinsOfOthers(
      trx,
      organization,
      products.map(({ product }) => product),
    ),
    withdrawals: await readWithdrawals(
      trx,
      rows.map(({ id }) => id),
    ),
    certificates: await readServedCertificates(
      trx,
      organization,
      certified.map(({ id }) => id),
    ),
  }
}

/**
 * Validates a stored passport by every rule.
 * @param issuerFindings what is wrong with the issuer of its organization, which all of its passports share
 */
export function validateStoredPassport(
  work: Work,
  row: PassportRow,
  facts: PassportFacts,
  issuerFindings: readonly Finding[],
): Readiness {
  const contentFindings =
    row.product === null
      ? validateStoredSheet(work, row, facts.sheets.get(row.id))
      : validateStoredProduct(work, row, row.product, facts)
  return createReadiness([...contentFindings, ...validateState(work, row, facts), ...issuerFindings])
}

function validateStoredProduct(work: Work, row: PassportRow, product: Values, facts: PassportFacts): Finding[] {
  const { application, certifiedPaths } = row
  const body = { application, product, data: row.data ?? {}, certifiedPaths } as NewProductPassport
  return [
    ...validateProductContent(work, row, product),
    ...toFindings('passport', validateProductPassport(body, facts.protectedTerms), createPathExample(row.data)),
    ...validateParentLinks(product, facts.parentStates.get(row.id), row),
    ...validateGtinOwnership(product, facts.gtinsOfOthers),
  ]
}

const validateStoredSheet = (work: Work, row: PassportRow, sheets: VersionedSheet | undefined): Finding[] =>
  sheets ? [...validateSheetContent(work, row, sheets.own), ...validateSheetVersion(row, sheets.own, sheets.sheet)] : []

/** Finds that a passport keeps an older version of its sheet's definitions because it does not fit the present ones. */
function validateSheetVersion({ fields }: PassportRow, own: SheetRow, sheet: SheetRow): Finding[] {
  const [issue] = own === sheet ? [] : validateSheetValues(sheet, fields, 'fields')
  if (!issue) return []
  const example = createFieldExample(sheet.passportsFields, issue.path.replace(/^fields\./, ''))
  return [createFinding('sheet_version_old', issue.path, `${issue.message}, by the definitions in force`, { example })]
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
    ...toFindings('sheet', getSheetValidator(sheet, 'productFields')(sheet.fields, 'sheet.fields'), (path) =>
      createFieldExample(sheet.productFields, path.replace(/^sheet\.fields\./, '')),
    ),
    ...toFindings('sheet', validateSheetValues(sheet, fields, 'fields'), (path) =>
      createFieldExample(sheet.passportsFields, path.replace(/^fields\./, '')),
    ),
    ...toFindings('passport', validateCertifiedPaths(sheet, certifiedPaths), createPathExample(fields)),
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

/** Creates the examples of single certified paths: one that leads to a value. Those of other members are of their rule. */
export const createPathExample =
  (values: unknown) =>
  (path: string): unknown =>
    path.startsWith('certifiedPaths[') ? findCertifiablePath(values) : undefined

/** Checks whether there is anything to certify, and which certified paths have no value yet. */
function validateCertifiablePaths(content: PassportContent, sheet: SheetRow | null): Finding[] {
  const certifiable = findCertifiablePath(sheet ? content.fields : content.data)
  const waiting = findPathsWithoutValue(content, sheet).map((at) =>
    createFinding('certified_path_empty', `certifiedPaths[${at}]`, 'leads to no value yet', {
      example: certifiable ?? null,
    }),
  )
  return getCertifiedContent(content, sheet) === null
    ? [
        createFinding('nothing_to_certify', 'certifiedPaths', 'leads to no value, so nothing can be certified', {
          example: certifiable === undefined ? null : [certifiable],
        }),
        ...waiting,
      ]
    : waiting
}

/** Checks whether a passport has a certificate that readers get. */
const isServed = ({ status, certificationStatus }: PassportRow) =>
  status !== 'archived' && certificationStatus === 'certified'

/** Validates the status of a passport, its certification, and what was withdrawn of it. */
function validateState({ context }: Work, row: PassportRow, facts: PassportFacts): Finding[] {
  const { id, status, certificationStatus } = row
  const withdrawn = validateWithdrawals(facts.withdrawals.get(id) ?? [])
  if (status === 'archived')
    return [...withdrawn, createFinding('archived', 'status', 'is archived, so there is no credential of it')]
  const found =
    status === 'draft'
      ? [...withdrawn, createFinding('not_published', 'status', 'is draft, so nobody outside can read the passport')]
      : withdrawn
  if (isServed(row)) return [...found, ...validateServedCertificate(context, facts.certificates.get(id))]
  const what = `is ${certificationStatus}, so the data has no proof`
  return [...found, createFinding('not_certified', 'certificationStatus', what)]
}
