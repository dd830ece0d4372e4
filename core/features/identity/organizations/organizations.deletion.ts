import type { Knex } from 'knex'
import { createPermissionProblem, type MemberCaller } from '../../../kernel/caller.ts'
import type { Role } from '../../../kernel/permission.ts'
import type { MailContent } from '../../../kernel/ports/identity.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import type { Work } from '../../../kernel/work.ts'
import { recordAct } from '../acts/acts.ts'
import { invitationStatus } from '../invitations/invitations.machine.ts'
import { formatPlainName } from '../invitations/invitations.mail.ts'
import { findRole } from '../members/ranks.ts'
import { createCrossAccessProblem } from './access.ts'
import { OrganizationModel } from './organizations.model.ts'
import { mailOwners } from './owners.ts'

/** Days for which an owner can restore an organization. Then everything that names a person is erased. */
export const restoreDays = 30

/**
 * Deletes the organization that the member acts for. Keys and sessions end with the commit, and invitations are
 * withdrawn; jobs begin no other step until the organization is restored. What is public stays.
 * @throws ORG_CROSS_ACCESS_DENIED for another organization than the active one, whether it exists or not
 * @throws AUTH_INSUFFICIENT_PERMISSIONS for who is no owner, or not any more
 */
export async function deleteOrganization(work: Work, caller: MemberCaller, id: string): Promise<void> {
  const { organization, user } = caller
  if (organization === null || id.toLowerCase() !== organization) throw createCrossAccessProblem()
  const { trx } = work
  const present = await lockForDeletion(trx, organization)
  if (!present || present.deletedAt !== null) throw createCrossAccessProblem()
  if ((await findRole(trx, organization, user)) !== ('owner' satisfies Role))
    throw createPermissionProblem(caller, 'organization:delete')
  await mailDeletion(work, present)
  await trx.raw(
    `update organizations set deleted_at = now(), deleted_by = ?, sessions_ended_at = now(), updated_at = now()
     where id = ?`,
    [user, organization],
  )
  await trx('api_keys').where({ organization, enabled: true }).update({ enabled: false, updated_at: trx.fn.now() })
  await trx('sessions').where({ active_organization_id: organization }).update({ active_organization_id: null })
  await trx.raw(
    `update invitations set ${invitationStatus.set('withdraw')}
     where organization_id = ? and ${invitationStatus.isPossible('withdraw')}`,
    [organization],
  )
  await recordAct(work, organization, {
    action: 'organization.delete',
    target: { kind: 'organization', id: organization },
  })
}

/** Locks an organization against everything that refers to it: a key or an account that is being made is waited for. */
const lockForDeletion = async (trx: Knex, id: string): Promise<OrganizationModel | undefined> =>
  OrganizationModel.query(trx).findById(id).forUpdate()

/** A deleted organization, for its members. */
export interface DeletedOrganization {
  id: string
  name: string
  deletedAt: string
  /** When it goes for good. */
  erasedFrom: string
  /** Whether the person is an owner, who can restore it. */
  isOwner: boolean
}

/** The SQL of the time from which an organization cannot be restored any more. */
const erasedFromSql = `organizations.deleted_at + interval '${restoreDays} days'`

/** Lists the deleted organizations of a person that can still be restored, by name. */
export async function listDeletedOrganizations(db: Knex, user: string): Promise<DeletedOrganization[]> {
  const rows = await db('organizations')
    .join('members', 'members.organization_id', 'organizations.id')
    .where('members.user_id', user)
    .whereNull('organizations.erased_at')
    .whereRaw(`${erasedFromSql} > now()`)
    .orderBy(['organizations.name', 'organizations.id'])
    .select<{ id: string; name: string; role: Role; deleted_at: Date; erased_from: Date }[]>(
      'organizations.id',
      'organizations.name',
      'members.role',
      'organizations.deleted_at',
      db.raw(`${erasedFromSql} as erased_from`),
    )
  return rows.map(({ id, name, role, deleted_at, erased_from }) => ({
    id,
    name,
    deletedAt: deleted_at.toISOString(),
    erasedFrom: erased_from.toISOString(),
    isOwner: role === 'owner',
  }))
}

/**
 * Restores a deleted organization for one of its owners. Its keys stay revoked and its buyers sign in again; everything
 * else is as it was, and jobs go on.
 * @throws ORG_CROSS_ACCESS_DENIED for everybody else, after 30 days, and for an organization that nobody deleted
 */
export async function restoreOrganization(work: Work, { user }: MemberCaller, id: string): Promise<void> {
  const { trx } = work
  await lockForDeletion(trx, id)
  const own = (await listDeletedOrganizations(trx, user)).find((one) => one.id === id.toLowerCase())
  if (own?.isOwner !== true) throw createCrossAccessProblem()
  await trx('organizations').where({ id }).update({ deleted_at: null, deleted_by: null, updated_at: trx.fn.now() })
  await recordAct(work, own.id, { action: 'organization.restore', target: { kind: 'organization', id: own.id } })
}

async function mailDeletion({ trx, context }: Work, { id }: OrganizationModel): Promise<void> {
  const address = `${context.settings.baseUrl}/console/organizations`
  await mailOwners(trx, context.messenger, id, ({ name, language }) => mails[language](formatPlainName(name), address))
}

/** @param address where the organizations of a member stand */
type DeletionMail = (name: string, address: string) => MailContent

const createEnglishMail: DeletionMail = (name, address) => ({
  subject: `${name} was deleted`,
  parts: [
    `An owner has deleted ${name} on Tessera. Its keys and sessions have ended. Public passports go on answering.`,
    `For ${restoreDays} days an owner can restore it:`,
    { label: 'Open your organizations', address },
    'After that, personal data is erased for good.',
  ],
})

const createFrenchMail: DeletionMail = (name, address) => ({
  subject: `${name} a été supprimée`,
  parts: [
    `Un propriétaire a supprimé ${name} sur Tessera. Ses clés et ses sessions ont pris fin. Les passeports publics restent `
      + 'consultables.',
    `Pendant ${restoreDays} jours, un propriétaire peut la restaurer :`,
    { label: 'Voir vos organisations', address },
    'Ensuite, les données personnelles sont effacées définitivement.',
  ],
})

/** Creates the mail in each language. */
const mails: Record<ConsoleLanguage, DeletionMail> = { en: createEnglishMail, fr: createFrenchMail }
