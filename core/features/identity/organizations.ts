import type { Role } from '../../kernel/permission.ts'
import { notFound } from '../../kernel/problem.ts'
import { ensureUser, insertMember, insertOrganization, type AuthParts } from './auth.ts'
import { initialSettings } from './organizations.settings.ts'
import { isDuplicate, slugOf } from './words.ts'

export interface NewOrganization {
  name: string
  /** E-mail address of the first owner, who need not be known yet. */
  owner: string
  customerType?: 'company' | 'individual'
}

export interface OrganizationFacts { id: string; name: string; slug: string; owner: string }

/** How often another slug is tried while others take the same name at the same time. */
const attempts = 20

/** A new organization with its first owner; a slug that is taken gets the next free number. */
export async function createOrganization(parts: AuthParts, wanted: NewOrganization): Promise<OrganizationFacts> {
  const { name, owner, customerType = 'company' } = wanted
  const email = owner.toLowerCase()
  const user = await ensureUser(parts, email)
  for (let attempt = 1; ; attempt++) {
    const slug = await freeSlug(parts, slugOf(name))
    try {
      const values = { name, slug, customerType, settings: initialSettings(), owner: user }
      const id = await insertOrganization(parts, values)
      return { id, name, slug, owner: email }
    } catch (error) {
      if (attempt === attempts || !isTakenSlug(error)) throw error
    }
  }
}

/** Gives the person with this address a role in an organization that they have none in yet. @returns the user's id */
export async function addMember(parts: AuthParts, organization: string, email: string, role: Role): Promise<string> {
  const user = await ensureUser(parts, email.toLowerCase())
  await insertMember(parts, organization, user, role)
  return user
}

async function freeSlug({ db }: AuthParts, wanted: string): Promise<string> {
  const rows = await db('organizations').where({ slug: wanted }).orWhere('slug', 'like', `${wanted}-%`)
    .select<{ slug: string }[]>('slug')
  const taken = new Set(rows.map(({ slug }) => slug))
  let slug = wanted
  for (let number = 2; taken.has(slug); number++) slug = `${wanted}-${number}`
  return slug
}

/** Somebody took the slug between the look and the insert; the library has its own word for it when it saw it first. */
function isTakenSlug(error: unknown): boolean {
  const { body } = error as { body?: { code?: unknown } }
  return body?.code === 'ORGANIZATION_ALREADY_EXISTS' || isDuplicate(error, 'organizations_slug_key')
}

/** Whether a user is one of the platform's own operators. No operation asks for it yet. @throws NOT_FOUND */
export async function setSuperAdmin({ db }: AuthParts, email: string, superAdmin: boolean) {
  const [row] = await db('users').where({ email: email.toLowerCase() })
    .update({ super_admin: superAdmin, updated_at: db.fn.now() })
    .returning<{ id: string; email: string }[]>(['id', 'email'])
  if (!row) throw notFound()
  return { ...row, superAdmin }
}
