import type { OrganizationCaller } from '../../../kernel/caller.ts'
import type { Work } from '../../../kernel/work.ts'
import { readApplication } from '../../applications/index.ts'
import { readProtectedTerms } from '../../certification/index.ts'
import {
  assertCreatable,
  createDuplicateNumbersProblem,
  findDuplicateProblem,
  insertProductPassport,
  type NewProductPassport,
  type Passport,
  validateCertificateUri,
  validateProductPassport,
} from '../passports/index.ts'

/**
 * The maximum number of attempts. An insert is tried again if the passport that it conflicted with no longer exists.
 */
const maxAttempts = 5

/**
 * Creates a draft that describes its product itself. Its parents need not exist yet. Without `network` it is on the
 * default network of its application.
 * @throws INVALID_REQUEST
 * @throws VALIDATION_FAILED
 * @throws NOT_FOUND
 * @throws DPP_PASSPORT_DUPLICATE_REFERENCE
 */
export async function createProductPassport(
  work: Work,
  { organization }: OrganizationCaller,
  body: NewProductPassport,
): Promise<Passport> {
  const protectedTerms = await readProtectedTerms(work.context.db, false)
  assertCreatable([
    ...validateProductPassport(body, protectedTerms),
    ...validateCertificateUri(work.context.outbound, body.certificateUri),
  ])
  const { application = '', product, reference = null } = body
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const created = await insertProductPassport(work, organization, body)
    if (created) return created
    await readApplication(work, application)
    const refusal = await findDuplicateProblem(work.trx, { application, reference, product })
    if (refusal) throw refusal
  }
  throw createDuplicateNumbersProblem(undefined)
}
