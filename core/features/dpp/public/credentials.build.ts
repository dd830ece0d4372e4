import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { createProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { readApplication } from '../../applications/index.ts'
import { createDetachedCredential, readProtectedTerms, type CertifiedContent } from '../../certification/index.ts'
import { getCertifiedContent } from '../content/index.ts'
import { applyDefaults } from '../fields/index.ts'
import { validateSheetPassport } from '../drafts/index.ts'
import {
  assertCreatable,
  assertNoIssues,
  isProductFlow,
  type NewPassport,
  type NewProductPassport,
  validateCertificateUri,
  validateProductPassport,
  validateSheetMembers,
} from '../passports/index.ts'
import { readSheet } from '../sheets/index.ts'

/**
 * A function that returns the certified content of the passport that a body would create under an identifier; null if
 * there is nothing to certify.
 */
type ContentBuilder = (id: string) => CertifiedContent | null

/**
 * Builds the signed credential of a passport without creating the passport. In the product flow, the content hash is
 * the same as that of a passport that is created from the same body and certified. In the sheet flow, the certified
 * content includes the passport's identifier, which is not known yet; the credential uses its own identifier there.
 * @throws what creating a passport throws for such a body
 * @throws DPP_VC_NOTHING_TO_CERTIFY
 * @throws DPP_KEY_ROTATION_PENDING
 */
export async function buildPassportCredential(
  work: Work,
  { organization }: OrganizationCaller,
  body: NewPassport,
): Promise<Buffer> {
  assertNoIssues(validateCertificateUri(work.context.outbound, body.certificateUri))
  const buildContent = isProductFlow(body)
    ? await createProductContentBuilder(work, body)
    : await createSheetContentBuilder(work, body)
  return createDetachedCredential(work.trx, work.context, organization, (id) => {
    const content = buildContent(id)
    if (content === null) {
      throw createProblem(
        'DPP_VC_NOTHING_TO_CERTIFY',
        'certifiedPaths is empty, or there is a value at none of its paths.',
        {
          path: 'certifiedPaths',
        },
      )
    }
    return content
  })
}

async function createProductContentBuilder(work: Work, body: NewProductPassport): Promise<ContentBuilder> {
  assertCreatable(validateProductPassport(body, await readProtectedTerms(work.context.db, false)))
  const { application = '', product, data = {}, certifiedPaths = [] } = body
  await readApplication(work, application)
  return (id) => getCertifiedContent({ id, product, data, fields: {}, certifiedPaths }, null)
}

async function createSheetContentBuilder(work: Work, body: NewPassport): Promise<ContentBuilder> {
  assertNoIssues(validateSheetMembers(body))
  const { product, certifiedPaths = [] } = body
  const sheet = await readSheet(work, String(product))
  assertNoIssues(await validateSheetPassport(work, body, sheet))
  const fields = applyDefaults(sheet.passportsFields, body.fields ?? {})
  return (id) => getCertifiedContent({ id, product: null, data: null, fields, certifiedPaths }, sheet)
}
