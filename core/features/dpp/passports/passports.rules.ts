import { createValidationProblem, createProblem, type ProblemError, type Issue } from '../../../kernel/problem.ts'
import type { Context } from '../../../kernel/work.ts'
import {
  type Product,
  validateCertifiedData,
  validateData,
  validateDataPaths,
  validateProduct,
} from '../content/index.ts'
import type { PassportRow } from './passports.model.ts'
import type { NewPassport } from './passports.schema.ts'

/** A passport to create that describes its product itself. */
export type NewProductPassport = NewPassport & { product: Product }

export const isProductFlow = (body: NewPassport): body is NewProductPassport => typeof body.product === 'object'

const flowSources = { sheet: 'a sheet', product: 'a product object' } as const

const createForeignIssue =
  (flow: 'sheet' | 'product') =>
  (path: string): Issue => ({
    path,
    code: 'flow',
    message: `is no member of a passport that is made from ${flowSources[flow]}`,
  })

const membersOfOtherFlow = { sheet: ['data', 'network', 'product'], product: ['fields'] } as const

/** Finds the members of a body that belong to the other flow. */
export const validateFlowMembers = (flow: 'sheet' | 'product', body: object): Issue[] =>
  membersOfOtherFlow[flow].filter((name) => name in body).map(createForeignIssue(flow))

/**
 * Validates the address of a hosted certificate: it has to be one that can be fetched.
 * @param outbound the client that would fetch the address
 */
export function validateCertificateUri(
  outbound: Pick<Context['outbound'], 'findObjection'>,
  certificateUri: string | null | undefined,
): Issue[] {
  const objection = typeof certificateUri === 'string' ? outbound.findObjection(certificateUri) : undefined
  return objection === undefined
    ? []
    : [{ path: 'certificateUri', code: 'url', message: `cannot be fetched: ${objection}` }]
}

/** Finds members of the product flow in a new passport of the sheet flow. */
export const validateSheetMembers = ({ product: _, ...others }: NewPassport): Issue[] =>
  validateFlowMembers('sheet', others)

/**
 * Validates a new passport of the product flow, as far as that is possible without the database.
 * @param protectedTerms names that the stored JSON-LD context of UNTP protects
 */
export function validateProductPassport(body: NewProductPassport, protectedTerms?: ReadonlySet<string>): Issue[] {
  const { application, product, data = {}, certifiedPaths = [] } = body
  const missing =
    application !== undefined
      ? []
      : [
          {
            path: 'application',
            code: 'required',
            message: 'is missing: a passport with a product object needs it',
          },
        ]
  return [
    ...missing,
    ...validateFlowMembers('product', body),
    ...validateProduct(product, 'product', protectedTerms),
    ...validateData(data),
    ...validateDataPaths(certifiedPaths),
    ...validateCertifiedData(data, certifiedPaths, protectedTerms),
  ]
}

/** The paths of the members that this API documents as required. A body without one of them cannot be understood. */
const documentedMemberPattern = /^(application|product\.\w+)$/

/**
 * Checks that a new passport has no issues.
 * @throws INVALID_REQUEST if a documented member is missing
 * @throws VALIDATION_FAILED if there is any other issue
 */
export function assertCreatable(issues: readonly Issue[]): void {
  if (issues.some(({ path, code }) => code === 'required' && documentedMemberPattern.test(path))) {
    throw createProblem('INVALID_REQUEST', 'A member that the passport needs is missing.', { errors: issues })
  }
  assertNoIssues(issues)
}

/**
 * Checks that there are no issues.
 * @throws VALIDATION_FAILED if there is any issue
 */
export function assertNoIssues(issues: readonly Issue[]): void {
  if (issues.length > 0) throw createValidationProblem(issues)
}

/**
 * Checks that a passport can be changed here; only the shop that a passport comes from can change it.
 * @throws DPP_PASSPORT_SOURCE_READ_ONLY
 */
export function assertWritable(row: Pick<PassportRow, 'source'>): void {
  const problem = findWriteProblem(row)
  if (problem) throw problem
}

/** Finds the problem of changing a passport: DPP_PASSPORT_SOURCE_READ_ONLY; null if it can be changed here. */
export const findWriteProblem = ({ source }: Pick<PassportRow, 'source'>): ProblemError | null =>
  source === 'ecommerce'
    ? createProblem(
        'DPP_PASSPORT_SOURCE_READ_ONLY',
        'The shop that this passport comes from keeps it; change it there.',
      )
    : null

/**
 * Finds the problem of deleting a passport that can be changed: DPP_PASSPORT_ALREADY_MINTED; null if it has no token and
 * none on its way. A mint that waits for its signature counts as signed, because it cannot be stopped any more.
 * @param isClaimed whether a claim of the passport is pending or completed
 */
export const findDeletionProblem = (
  { mintQueuedAt }: Pick<PassportRow, 'mintQueuedAt'>,
  isClaimed: boolean,
): ProblemError | null =>
  mintQueuedAt !== null || isClaimed
    ? createProblem(
        'DPP_PASSPORT_ALREADY_MINTED',
        'The passport cannot be deleted: its token is minted, or about to be.',
      )
    : null

/** Creates the problem of a reference that another passport of the application has. */
export function createDuplicateReferenceProblem(existing: string | undefined): ProblemError {
  return createProblem(
    'DPP_PASSPORT_DUPLICATE_REFERENCE',
    'The application already has a passport with this reference.',
    {
      path: 'reference',
      ...(existing !== undefined && { extra: { existing } }),
    },
  )
}

/** Creates the problem of a granularity and numbers that another passport of the application has. */
export function createDuplicateNumbersProblem(existing: string | undefined): ProblemError {
  return createProblem(
    'DPP_PASSPORT_DUPLICATE_REFERENCE',
    'The application already has a passport with these numbers.',
    {
      path: 'product',
      ...(existing !== undefined && { extra: { existing } }),
    },
  )
}

/**
 * Compares two addresses. Only the letters A to Z are compared without case, so that two different mailboxes never
 * count as one.
 */
export function isSameEmail(one: string, other: string): boolean {
  const small = (email: string) => email.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return small(one) === small(other)
}
