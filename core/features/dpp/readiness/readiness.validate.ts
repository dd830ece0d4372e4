import { newId } from '../../../database/model.ts'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { ProblemError } from '../../../kernel/problem.ts'
import { uuidPattern } from '../../../kernel/text/uuid.ts'
import type { Work } from '../../../kernel/work.ts'
import { readApplication } from '../../applications/index.ts'
import { readProtectedTerms } from '../../certification/index.ts'
import { applyDefaults, isObject, validateSheetValues } from '../fields/index.ts'
import { validateImportedBody } from '../bulk/index.ts'
import type { Finding, Readiness } from './answers.types.ts'
import {
  findDuplicateProblem,
  type NewPassport,
  type NewProductPassport,
  validateProductPassport,
  validateSheetMembers,
} from '../passports/index.ts'
import {
  createPathExample,
  validateProductContent,
  validateSheetContent,
  createReadiness,
  type PassportContent,
} from './readiness.ts'
import { readGtinsOfOthers, validateGtinOwnership } from './rules/gtin-owners.ts'
import { readParentStates, validateParentLinks } from './rules/readiness.links.ts'
import { createFinding } from './readiness.table.ts'
import type { Values } from './rules/readiness.values.ts'
import { toFindings } from './rules/readiness.findings.ts'
import { SheetRow } from '../sheets/index.ts'

/**
 * Finds the reasons for which creating a passport from a body would be refused, and the findings that its readiness
 * would have. A missing sheet or application, and a reference or numbers that are taken, are findings too. Nothing is
 * stored.
 */
export async function validatePassport(work: Work, caller: OrganizationCaller, body: Values): Promise<Readiness> {
  const formal = toFindings('passport', validateImportedBody(body))
  const { product } = body
  const fits = (name: string) => formal.every(({ path }) => path !== name)
  const content: PassportContent = {
    id: newId(),
    product: isObject(product) ? product : null,
    data: isObject(body['data']) ? body['data'] : {},
    fields: isObject(body['fields']) ? body['fields'] : {},
    // If the data has the wrong type, it is not the fault of the paths that they lead nowhere.
    certifiedPaths: fits('data') ? parsePaths(body['certifiedPaths']) : [],
  }
  if (isObject(product))
    return createReadiness([...(await validateNewProduct(work, caller, body, content, formal)), ...formal])
  const found =
    typeof product === 'string' && fits('product') ? await validateNewSheetPassport(work, caller, body, content) : []
  return createReadiness([...found, ...formal])
}

const parsePaths = (value: unknown): string[] =>
  Array.isArray(value) && value.every((path) => typeof path === 'string') ? value : []

async function validateNewProduct(
  work: Work,
  { organization }: OrganizationCaller,
  body: Values,
  content: PassportContent,
  formal: readonly Finding[],
): Promise<Finding[]> {
  const { data, certifiedPaths, product } = content
  const issues = validateProductPassport(
    { ...body, product, data, certifiedPaths } as NewProductPassport,
    await readProtectedTerms(work.context.db, false),
  )
  const findings = [
    ...validateProductContent(work, content, product ?? {}),
    ...toFindings('passport', issues, createPathExample(data)),
  ]
  const { application } = body
  if (typeof application !== 'string' || !uuidPattern.test(application)) return findings
  if (!(await isOwnApplication(work, application))) {
    return [...findings, createFinding('passport_not_found', 'application', 'names no application of yours')]
  }
  // Creation refuses these findings before it reads the database, so the database is not read here either.
  if (issues.length > 0 || formal.length > 0) return findings
  return [
    ...findings,
    ...(await checkUnique(work, application, body['reference'], product)),
    ...(await checkSurroundings(work, organization, { id: content.id, application, product: product ?? {} })),
  ]
}

/** Checks where the numbers and the GTIN of a new product lead. */
async function checkSurroundings(
  { trx }: Work,
  organization: string,
  passport: { id: string; application: string; product: Values },
): Promise<Finding[]> {
  const { id, product } = passport
  const parentStates = await readParentStates(trx, organization, [passport])
  return [
    ...validateParentLinks(product, parentStates.get(id)),
    ...validateGtinOwnership(product, await readGtinsOfOthers(trx, organization, [product])),
  ]
}

async function validateNewSheetPassport(
  work: Work,
  { organization }: OrganizationCaller,
  body: Values,
  content: PassportContent,
): Promise<Finding[]> {
  const foreign = toFindings('passport', validateSheetMembers(body as NewPassport))
  const sheet = await SheetRow.query(work.trx).modify('ofOrganization', organization).findById(String(body['product']))
  if (!sheet) return [...foreign, createFinding('passport_not_found', 'product', 'names no sheet of yours')]
  const { application } = body
  const other = typeof application === 'string' && application.toLowerCase() !== sheet.application
  const { fields } = content
  const isValid = validateSheetValues(sheet, fields, 'fields').length === 0
  const stored = isValid ? applyDefaults(sheet.passportsFields, fields) : fields
  return [
    ...foreign,
    ...(other
      ? [
          createFinding('passport_mismatch', 'application', 'is not the application of the sheet', {
            example: sheet.application,
          }),
        ]
      : []),
    ...validateSheetContent(work, { ...content, fields: stored }, sheet),
    ...(await checkUnique(work, sheet.application, body['reference'], null)),
  ]
}

async function isOwnApplication(work: Work, application: string): Promise<boolean> {
  try {
    await readApplication(work, application)
    return true
  } catch (cause) {
    if (cause instanceof ProblemError && cause.code === 'NOT_FOUND') return false
    throw cause
  }
}

async function checkUnique(
  { trx }: Work,
  application: string,
  sent: unknown,
  product: Values | null,
): Promise<Finding[]> {
  const reference = typeof sent === 'string' ? sent : null
  if (reference === null && product === null) return []
  const refusal = await findDuplicateProblem(trx, { application, reference, product })
  const [at] = refusal?.errors ?? []
  if (!at) return []
  // Numbers are the maker's own, but a reference may be any text.
  const example = at.path === 'reference' ? newId() : null
  return [createFinding('passport_taken', at.path, 'is what another passport of the application has', { example })]
}
