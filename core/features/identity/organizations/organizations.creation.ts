import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import type { MemberCaller } from '../../../kernel/caller.ts'
import type { RequestDetails } from '../../../kernel/operation.ts'
import { createProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { recordAct } from '../acts/acts.ts'
import { findAccepted, insertAcceptances, listMissingDocuments } from '../legal/acceptances.ts'
import { presentDocument } from '../legal/documents.ts'
import { acceptIntent } from '../legal/intent.ts'
import { insertMembership } from '../members/members.ts'
import { createSlug } from '../slugs.ts'
import { createSlugProblem, presentOrganization } from './organizations.changes.ts'
import { OrganizationModel } from './organizations.model.ts'
import type { NewOrganizationBody, OrganizationShape } from './organizations.schema.ts'
import { createInitialSettings } from './organizations.settings.ts'
import { findFreeSlug } from './organizations.ts'

/** Maximum number of organizations that a person may sign up. */
const maxPerPerson = 3

/**
 * Creates an organization with the person as its owner, and makes it the active one of the session. All of it happens in
 * one transaction, which the sign-in library cannot join: so its rows are written here.
 * @throws ORG_LIMIT after three, ORG_SLUG_TAKEN for a slug that was asked for, VALIDATION_FAILED for documents that are
 * not current, LEGAL_ACCEPTANCE_REQUIRED with those that nobody has accepted
 */
export async function signUpOrganization(
  work: Work,
  caller: MemberCaller,
  body: NewOrganizationBody,
  request: Pick<RequestDetails, 'address' | 'headers'>,
): Promise<OrganizationShape> {
  const { trx, context } = work
  const { acceptances = [], customerType } = body
  const accepted = findAccepted(acceptances)
  await assertBelowLimit(trx, caller.user)
  const organization = await insertWithSlug(trx, caller.user, body)
  await insertMembership(trx, { organization, user: caller.user, role: 'owner' })
  const details = { user: caller.user, organization }
  await acceptIntent(trx, context, { ...details, headers: request.headers })
  await insertAcceptances(trx, accepted, { ...details, address: request.address, acceptedAt: new Date() })
  const missing = await listMissingDocuments(trx, caller.user, customerType)
  if (missing.length > 0)
    throw createProblem('LEGAL_ACCEPTANCE_REQUIRED', `Accept ${missing.map(({ title }) => title).join(', ')} first.`, {
      path: 'acceptances',
      extra: {
        missing: missing.map((document) => {
          const { id, version, title, url } = presentDocument(context, document)
          return { id, version, title, url }
        }),
      },
    })
  await trx('sessions').where({ id: caller.session }).update({ active_organization_id: organization })
  const target = { kind: 'organization', id: organization, label: body.name }
  await recordAct(work, organization, { action: 'organization.create', target })
  return presentOrganization(work, await OrganizationModel.query(trx).findById(organization).throwIfNotFound())
}

/** Checks that a person may sign up one more. The person's row is locked, so that two at a time count each other. */
async function assertBelowLimit(trx: Knex, user: string): Promise<void> {
  await trx.raw('select from users where id = ? for no key update', [user])
  const made = await OrganizationModel.query(trx).where({ created_by: user }).resultSize()
  if (made >= maxPerPerson) throw createProblem('ORG_LIMIT', `A person signs up at most ${maxPerPerson} organizations.`)
}

/** Inserts an organization under the slug that was asked for, or else under a free one that its name gives. */
async function insertWithSlug(trx: Knex, user: string, body: NewOrganizationBody): Promise<string> {
  const { name, slug, customerType, preferredCurrency = null } = body
  for (;;) {
    const inserted = await trx('organizations')
      .insert({
        id: newId(),
        name,
        slug: slug ?? (await findFreeSlug(trx, createSlug(name))),
        customer_type: customerType,
        preferred_currency: preferredCurrency,
        settings: JSON.stringify(createInitialSettings()),
        created_by: user,
      })
      .onConflict('slug')
      .ignore()
      .returning<{ id: string }[]>('id')
    const [row] = inserted
    if (row) return row.id
    if (slug !== undefined) throw createSlugProblem()
  }
}
