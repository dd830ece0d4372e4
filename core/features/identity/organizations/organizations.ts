import type { Knex } from 'knex'
import type { Role } from '../../../kernel/permission.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import { recordOperatorAct } from '../acts/acts.ts'
import { ensureUser, insertMember, insertOrganization, type AuthContext } from '../auth.ts'
import { createInitialSettings } from './organizations.settings.ts'
import { isDuplicate, createSlug } from '../slugs.ts'

export interface NewOrganization {
  name: string
  /** E-mail address of the first owner, who need not be a user yet. */
  owner: string
  customerType?: 'company' | 'individual'
}

export interface CreatedOrganization {
  id: string
  name: string
  slug: string
  owner: string
}

/** Maximum number of slugs to try while other organizations take the same slug at the same time. */
const maxAttempts = 20

/**
 * Creates an organization with its first owner. If the slug of the name is taken, the slug gets the next free number.
 */
export async function createOrganization(parts: AuthContext, wanted: NewOrganization): Promise<CreatedOrganization> {
  const { name, owner, customerType = 'company' } = wanted
  const email = owner.toLowerCase()
  const user = await ensureUser(parts, email)
  for (let attempt = 1; ; attempt++) {
    const slug = await findFreeSlug(parts.db, createSlug(name))
    try {
      const values = { name, slug, customerType, settings: createInitialSettings(), owner: user }
      return await parts.db.transaction(async (trx) => {
        const id = await insertOrganization(parts, trx, values)
        const target = { kind: 'organization', id, label: name }
        await recordOperatorAct(trx, id, { action: 'organization.create', target })
        return { id, name, slug, owner: email }
      })
    } catch (error) {
      if (attempt === maxAttempts || !isTakenSlug(error)) throw error
    }
  }
}

/**
 * Gives the person with this address a role in an organization in which the person has no role yet.
 * @returns the user's id
 */
export async function addMember(parts: AuthContext, organization: string, email: string, role: Role): Promise<string> {
  const user = await ensureUser(parts, email.toLowerCase())
  await parts.db.transaction(async (trx) => {
    const id = await insertMember(parts, trx, { organizationId: organization, userId: user, role })
    const target = { kind: 'member', id, label: email.toLowerCase() }
    await recordOperatorAct(trx, organization, { action: 'member.add', target, change: role })
  })
  return user
}

/** Finds a slug that nobody has: the wanted one, or that with the next free number. */
export async function findFreeSlug(db: Knex, wanted: string): Promise<string> {
  const rows = await db('organizations')
    .where({ slug: wanted })
    .orWhere('slug', 'like', `${wanted}-%`)
    .select<{ slug: string }[]>('slug')
  const taken = new Set(rows.map(({ slug }) => slug))
  let slug = wanted
  for (let number = 2; taken.has(slug); number++) slug = `${wanted}-${number}`
  return slug
}

/**
 * Checks whether an insert failed because the slug was taken after the search for a free one. The library reports its
 * own code if it notices first.
 */
function isTakenSlug(error: unknown): boolean {
  const { body } = error as { body?: { code?: unknown } }
  return body?.code === 'ORGANIZATION_ALREADY_EXISTS' || isDuplicate(error, 'organizations_slug_key')
}

/** Sets whether a user is one of the platform's own operators, who may read every organization. @throws NOT_FOUND */
export async function setSuperAdmin({ db }: AuthContext, email: string, superAdmin: boolean) {
  const [row] = await db('users')
    .where({ email: email.toLowerCase(), organization: null })
    .update({ super_admin: superAdmin, updated_at: db.fn.now() })
    .returning<{ id: string; email: string }[]>(['id', 'email'])
  if (!row) throw createNotFoundProblem()
  return { ...row, superAdmin }
}
