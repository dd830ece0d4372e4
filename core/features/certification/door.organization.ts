import { withAdvisoryLock } from '../../database/lock.ts'
import type { Context } from '../../kernel/work.ts'
import { createOrganization } from '../identity/index.ts'
import { ensureCertificationKey } from './keys.ts'

/** Whose key the door signs with: an organization of its own, so that no customer's name stands under what anybody sent. */
const door = { name: 'VC-API test door', slug: 'vc-api-test-door', owner: 'vc-api-test-door@tessera.example' }

/** Processes that begin at the same time make one organization. */
const lockNumber = 7_364_203

/** The organization of the door with its active key, made at the first use. @returns its id */
export async function doorOrganization(context: Context): Promise<string> {
  return withAdvisoryLock(context.db, lockNumber, async () => {
    const known = await context.db('organizations').where({ slug: door.slug }).first<{ id: string } | undefined>('id')
    const { id } = known ?? await createOrganization(context, door)
    await ensureCertificationKey(context, id)
    return id
  })
}
