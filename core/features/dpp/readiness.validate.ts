import { newId } from '../../database/model.ts'
import type { OrganizationCaller } from '../../kernel/caller.ts'
import { Problem } from '../../kernel/problem.ts'
import { uuidText } from '../../kernel/uuid.ts'
import type { Work } from '../../kernel/work.ts'
import { findApplication } from '../applications/index.ts'
import { keptProtectedTerms } from '../certification/index.ts'
import { isObject } from './fields.judges.ts'
import { importedBodyJudge } from './import.schema.ts'
import type { Finding, Readiness } from './open.types.ts'
import { refusalOf } from './passports.holders.ts'
import {
  judgeProductPassport, judgeSheetMembers, judgeValues, storedValues, type NewProductPassport,
} from './passports.rules.ts'
import type { NewPassport } from './passports.schema.ts'
import { judgeProduct, judgeSheet, readinessOf, type Content } from './readiness.ts'
import { judgeOwnership } from './gtins/readiness.ts'
import { judgeLinks } from './readiness.links.ts'
import { finding } from './readiness.table.ts'
import type { Values } from './readiness.values.ts'
import { ofViolations } from './readiness.violations.ts'
import { SheetRow } from './sheets.model.ts'

/**
 * What creating a passport from a body would be refused for, and what readiness would find of it then. A sheet or an
 * application that is not there, and a reference or numbers that are taken, are findings too. Nothing is stored.
 */
export async function validatePassport(work: Work, caller: OrganizationCaller, body: Values): Promise<Readiness> {
  const formal = ofViolations('passport', importedBodyJudge(body))
  const { product } = body
  const fits = (name: string) => formal.every(({ path }) => path !== name)
  const content: Content = {
    id: newId(), product: isObject(product) ? product : null, data: isObject(body['data']) ? body['data'] : {},
    fields: isObject(body['fields']) ? body['fields'] : {},
    // Where the data is of a wrong type it is no fault of the paths that they lead nowhere.
    certifiedPaths: fits('data') ? pathsOf(body['certifiedPaths']) : [],
  }
  if (isObject(product)) return readinessOf([...await judgeNewProduct(work, caller, body, content, formal), ...formal])
  const found = typeof product === 'string' && fits('product') ? await judgeNewOfSheet(work, caller, body, content) : []
  return readinessOf([...found, ...formal])
}

const pathsOf = (value: unknown): string[] =>
  Array.isArray(value) && value.every((path) => typeof path === 'string') ? value : []

async function judgeNewProduct(
  work: Work, { organization }: OrganizationCaller, body: Values, content: Content, formal: readonly Finding[],
): Promise<Finding[]> {
  const { data, certifiedPaths, product } = content
  const violations = judgeProductPassport({ ...body, product, data, certifiedPaths } as NewProductPassport, await keptProtectedTerms(work.context.db, false))
  const judged = [...judgeProduct(work, content, product ?? {}), ...ofViolations('passport', violations)]
  const { application } = body
  if (typeof application !== 'string' || !uuidText.test(application)) return judged
  if (!await isOwn(work, application)) {
    return [...judged, finding('passport_not_found', 'application', 'names no application of yours')]
  }
  // What creation refuses before it looks into the database is not looked for there.
  if (violations.length > 0 || formal.length > 0) return judged
  return [
    ...judged, ...await judgeUnique(work, application, body['reference'], product),
    ...await judgeLinks(work.trx, { organization, application }, product ?? {}),
    ...await judgeOwnership(work.trx, organization, product ?? {}),
  ]
}

async function judgeNewOfSheet(
  work: Work, { organization }: OrganizationCaller, body: Values, content: Content,
): Promise<Finding[]> {
  const foreign = ofViolations('passport', judgeSheetMembers(body as NewPassport))
  const sheet = await SheetRow.query(work.trx).modify('ofOrganization', organization).findById(String(body['product']))
  if (!sheet) return [...foreign, finding('passport_not_found', 'product', 'names no sheet of yours')]
  const { application } = body
  const other = typeof application === 'string' && application.toLowerCase() !== sheet.application
  const { fields } = content
  const stored = judgeValues(sheet, fields, 'fields').length > 0 ? fields : storedValues(sheet, fields)
  return [
    ...foreign, ...(other ? [finding('passport_mismatch', 'application', 'is not the application of the sheet')] : []),
    ...judgeSheet(work, { ...content, fields: stored }, sheet),
    ...await judgeUnique(work, sheet.application, body['reference'], null),
  ]
}

async function isOwn(work: Work, application: string): Promise<boolean> {
  try {
    await findApplication(work, application)
    return true
  } catch (cause) {
    if (cause instanceof Problem && cause.code === 'NOT_FOUND') return false
    throw cause
  }
}

async function judgeUnique(
  { trx }: Work, application: string, sent: unknown, product: Values | null,
): Promise<Finding[]> {
  const reference = typeof sent === 'string' ? sent : null
  if (reference === null && product === null) return []
  const refusal = await refusalOf(trx, { application, reference, product })
  const [at] = refusal?.errors ?? []
  return at ? [finding('passport_taken', at.path, 'is what another passport of the application has')] : []
}
