import { withAdvisoryLock } from '../../core/database/lock.ts'
import type { Context } from '../../core/kernel/work.ts'
import { createOrganization } from '../../core/features/identity/index.ts'
import { ensureCertificationKey } from '../../core/features/certification/keys/index.ts'
import { findOrganizationBySlug } from '../support/rows/identity/organization-names.ts'

/**
 * The organization whose key the test door signs with. It is a separate one, so that no customer's name stands under
 * credentials that anybody may send.
 */
const vcApiOrganization = {
  name: 'VC-API test door',
  slug: 'vc-api-test-door',
  owner: 'vc-api-test-door@tessera.example',
}

/** Number of the lock that makes processes which start at the same time create only one organization. */
const lockNumber = 7_364_203

/** Finds the organization of the test door, or creates it with its key. @returns the id of the organization */
export async function ensureVcApiOrganization(context: Context): Promise<string> {
  return withAdvisoryLock(context.db, lockNumber, async () => {
    const known = await findOrganizationBySlug(context.db, vcApiOrganization.slug)
    const id = known ?? (await createOrganization(context, vcApiOrganization)).id
    await ensureCertificationKey(context, id)
    return id
  })
}
