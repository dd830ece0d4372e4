import type { Statement } from '../../database/connection.ts'
import { newId } from '../../database/model.ts'
import type { OrganizationCaller } from '../../kernel/caller.ts'
import type { Work } from '../../kernel/work.ts'
import { findApplication } from '../applications/index.ts'
import { keptProtectedTerms } from '../certification/index.ts'
import { refusalOf } from './passports.holders.ts'
import { draftInEvents, shownToOwner } from './passports.json.ts'
import {
  duplicateNumbers, judgeCertificateUri, judgeProductPassport, refuseUnfit, type NewProductPassport,
} from './passports.rules.ts'
import type { Passport } from './passports.schema.ts'
import { runDirectly } from './passports.statements.ts'

/** Whoever stood in the way and was gone when asked for may come back this often. */
const attempts = 5

/**
 * Creates a draft that describes its product itself. Its parents need not be there yet. Without `network` it is on the
 * default network of the application, which is there for whatever names none.
 * @throws INVALID_REQUEST, VALIDATION_FAILED, NOT_FOUND, DPP_PASSPORT_DUPLICATE_REFERENCE
 */
export async function createProductPassport(
  work: Work, { organization }: OrganizationCaller, body: NewProductPassport,
): Promise<Passport> {
  const refused = await keptProtectedTerms(work.context.db, false)
  refuseUnfit([...judgeProductPassport(body, refused), ...judgeCertificateUri(work.context.outbound, body.certificateUri)])
  const { application = '', product, reference = null } = body
  for (let attempt = 0; attempt < attempts; attempt++) {
    const made = await insert(work, organization, body)
    if (made) return made
    await findApplication(work, application)
    const refusal = await refusalOf(work.trx, { application, reference, product })
    if (refusal) throw refusal
  }
  throw duplicateNumbers(undefined)
}

/** The passport and its event in one statement, while the application is there. Who has reference or numbers keeps them. */
const insertPassport: Statement = {
  name: 'product_passport_insert',
  text: `
    with application as materialized (
      select id, organization, default_network from applications where id = $2 and organization = $3 for key share
    ), added as (
      insert into passports (id, organization, application, network, product, data, reference, certified_paths,
        certificate_uri, allowed_claim_email, allowed_claim_phone_number)
      select $1::uuid, organization, id, coalesce($4::text, default_network), $5::jsonb, $6::jsonb, $7::text, $8::text[],
        $9::text, $10::text, $11::text
      from application
      on conflict do nothing
      returning *
    ), made as (
      select passports.organization, passports.application, ${shownToOwner} as shown from added as passports
    ), told as (
      insert into events (id, organization, application, application_name, subject, type, passport)
      select $12::uuid, organization, application, shown -> 'application' ->> 'name', 'dppPassport', 'create',
        ${draftInEvents("shown ->> 'id'")}::jsonb
      from made
    )
    select shown from made`,
}

async function insert(work: Work, organization: string, body: NewProductPassport): Promise<Passport | undefined> {
  const { application, network = null, product, data = {}, reference = null, certifiedPaths = [] } = body
  const { certificateUri = null, allowedClaimEmail = null, allowedClaimPhoneNumber = null } = body
  const [row] = await runDirectly<{ shown: Passport }>(work, insertPassport, [
    newId(), application, organization, network, JSON.stringify(product), JSON.stringify(data), reference, certifiedPaths,
    certificateUri, allowedClaimEmail, allowedClaimPhoneNumber, newId(),
  ])
  return row?.shown
}
