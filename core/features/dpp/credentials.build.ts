import type { OrganizationCaller } from '../../kernel/caller.ts'
import { problem } from '../../kernel/problem.ts'
import type { Work } from '../../kernel/work.ts'
import { findApplication } from '../applications/index.ts'
import { buildCredential, keptProtectedTerms, type CertifiedContent } from '../certification/index.ts'
import { certifiedContent } from './certified.ts'
import { judgeSheetPassport } from './passports.create.ts'
import {
  isProductFlow, judgeCertificateUri, judgeProductPassport, judgeSheetMembers, refuseInvalid, refuseUnfit, storedValues, type NewProductPassport,
} from './passports.rules.ts'
import type { NewPassport } from './passports.schema.ts'
import { readSheet } from './sheets.reads.ts'

/** What is certified of the passport that a body would make under an identifier; null for nothing. */
type ContentOf = (id: string) => CertifiedContent | null

/**
 * The signed credential of a passport that is not made. In the product flow it has the content hash that the passport
 * has once it is created from the same body and certified. In the sheet flow the passport's identifier is certified
 * too, and is not known yet: there the credential names the product by its own.
 * @throws what creating throws for such a body, and DPP_VC_NOTHING_TO_CERTIFY, DPP_KEY_ROTATION_PENDING
 */
export async function buildPassportCredential(work: Work, { organization }: OrganizationCaller, body: NewPassport): Promise<Buffer> {
  refuseInvalid(judgeCertificateUri(work.context.outbound, body.certificateUri))
  const contentOf = isProductFlow(body) ? await ofProduct(work, body) : await ofSheet(work, body)
  return buildCredential(work.trx, work.context, organization, (id) => {
    const content = contentOf(id)
    if (content === null) {
      throw problem('DPP_VC_NOTHING_TO_CERTIFY', 'certifiedPaths is empty, or there is a value at none of its paths.', {
        path: 'certifiedPaths',
      })
    }
    return content
  })
}

async function ofProduct(work: Work, body: NewProductPassport): Promise<ContentOf> {
  refuseUnfit(judgeProductPassport(body, await keptProtectedTerms(work.context.db, false)))
  const { application = '', product, data = {}, certifiedPaths = [] } = body
  await findApplication(work, application)
  return (id) => certifiedContent({ id, product, data, fields: {}, certifiedPaths }, null)
}

async function ofSheet(work: Work, body: NewPassport): Promise<ContentOf> {
  refuseInvalid(judgeSheetMembers(body))
  const { product, certifiedPaths = [] } = body
  const sheet = await readSheet(work, String(product))
  refuseInvalid(await judgeSheetPassport(work, body, sheet))
  const fields = storedValues(sheet, body.fields ?? {})
  return (id) => certifiedContent({ id, product: null, data: null, fields, certifiedPaths }, sheet)
}
