import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createApiKey, type CreatedApiKey } from '../../../../core/features/identity/index.ts'
import { allPermissions } from '../../../../core/kernel/permission.ts'
import { runAdmin } from '../../../support/admin-command.ts'
import { createApiClient } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import { waitUntil } from '../../../support/processes.ts'
import {
  countEnabledKeys,
  dateDeletionBack,
} from '../../../support/rows/identity/organizations/deleted-organizations.ts'
import { countPendingJobs, insertJobs } from '../../../support/rows/queue/job-rows.ts'
import {
  buildBuyer,
  buildCertifiedPassport,
  buildKey,
  buildMember,
  buildOrganization,
  buildShop,
  type Tenant,
} from '../../../support/world.ts'
import {
  codeOf,
  createEmail,
  getOperator,
  getOwnClient,
  listMessagesTo,
  readCodeFor,
  requestCode,
  signInBuyer,
  signInMember,
  verifyOtp,
} from '../people.ts'

const absent = '/v1/organizations/018f3f6e-7b1a-7c3d-9e2f-000000000000'
const crossAccess = [403, 'ORG_CROSS_ACCESS_DENIED']
const lacking = [403, 'AUTH_INSUFFICIENT_PERMISSIONS']

const remove = (cookie: string, organization: string) =>
  getOwnClient(cookie).delete(`/v1/organizations/${organization}`)
const restore = (cookie: string, organization: string) =>
  getOwnClient(cookie).post(`/console/organizations/${organization}/restore`)

/** Signs the owner in and deletes the organization. @returns the owner's cookie */
async function deleteAsOwner({ owner, organization }: Tenant): Promise<string> {
  const cookie = await signInMember(owner, organization)
  const deleted = await remove(cookie, organization)
  expect([deleted.status, deleted.text]).to.deep.equal([204, ''])
  return cookie
}

const isRefused = async (key: string) =>
  String(codeOf(await createApiClient(key).get('/v1/organizations'))) === '401,AUTH_INVALID_API_KEY'

describe('DELETE /v1/organizations/{id}', function () {
  this.timeout(120_000)

  it('is for an owner who acts for it: not for keys, other members and strangers', async () => {
    const [own, foreign] = [await buildOrganization(), await buildOrganization()]
    const address = `/v1/organizations/${own.organization}`
    const { key } = await buildKey(own.organization, allPermissions)
    expect(codeOf(await createApiClient(key).delete(address)), 'a key that may do all').to.deep.equal(lacking)
    expect(codeOf(await createApiClient().delete(address))).to.deep.equal([401, 'AUTH_UNAUTHENTICATED'])
    for (const role of ['admin', 'viewer'] as const) {
      const cookie = await signInMember(await buildMember(own.organization, role), own.organization)
      expect(codeOf(await remove(cookie, own.organization)), role).to.deep.equal(lacking)
    }
    const owner = await signInMember(own.owner, own.organization)
    expect(codeOf(await remove(owner, foreign.organization)), 'another one').to.deep.equal(crossAccess)
    expect(codeOf(await getOwnClient(owner).delete(absent)), 'none').to.deep.equal(crossAccess)
    expect(codeOf(await remove(await signInMember(own.owner), own.organization)), 'not active').to.deep.equal(
      crossAccess,
    )
    expect((await createApiClient(key).get(address)).status).to.equal(200)
  })

  it('ends keys and sessions, and tells the owners', async () => {
    const shop = await buildShop()
    const viewer = await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization)
    const buyer = await buildBuyer(shop)
    expect((await buyer.get('/v1/auth/session')).status).to.equal(200)
    const cookie = await deleteAsOwner(shop)
    await waitUntil('the key is refused', () => isRefused(shop.key))
    expect((await buyer.get('/v1/auth/session')).status).to.equal(401)
    for (const member of [cookie, viewer].map(getOwnClient)) {
      expect((await member.get('/v1/auth/session')).body['organization']).to.equal(null)
      expect(codeOf(await member.get('/v1/dpp/passports'))).to.deep.equal([403, 'AUTH_MISSING_ORG_ID'])
      expect((await member.get('/v1/organizations')).body['total']).to.equal(0)
      expect(codeOf(await member.get(`/v1/organizations/${shop.organization}`))).to.deep.equal(crossAccess)
      const choice = { organizationId: shop.organization }
      expect((await member.post('/v1/auth/organization/set-active', choice)).status).to.equal(404)
    }
    expect(codeOf(await remove(cookie, shop.organization)), 'once').to.deep.equal(crossAccess)
    const [mail] = await listMessagesTo(shop.owner)
    expect(mail?.subject).to.contain('was deleted')
    expect(mail?.text).to.contain('/console/organizations')
  })

  it('lets nobody in any more, and nothing new be made: codes, invitations, keys, applications', async () => {
    const shop = await buildShop()
    const email = createEmail('late')
    await requestCode(shop.application, email)
    const guest = createEmail('guest')
    const invited = await shop.api.post(`/v1/organizations/${shop.organization}/invitations`, {
      email: guest,
      role: 'viewer',
    })
    await deleteAsOwner(shop)
    expect((await requestCode(shop.application, email)).status).to.equal(422)
    expect((await verifyOtp(shop.application, email, await readCodeFor(email))).status).to.equal(422)
    const accepted = await getOwnClient(await signInMember(guest)).post(`/v1/invitations/${invited.body['id']}/accept`)
    expect(codeOf(accepted)).to.deep.equal([409, 'INVITATION_NOT_OPEN'])
    for (const command of [
      ['api-key', 'create', '--name', 'Late', '--permissions', '{"dpp":["read"]}'],
      ['application', 'create', '--name', 'Late'],
    ]) {
      const ran = await runAdmin(platform.dataDir, ...command, '--organization', shop.organization, '--json')
      expect(ran.code, command.join(' ')).not.to.equal(0)
      expect(ran.err + ran.out).to.contain('NOT_FOUND')
    }
  })

  it('leaves what is public as it is: passports, credentials, status lists, pages', async () => {
    const shop = await buildShop()
    const passport = await buildCertifiedPassport(shop)
    const anybody = createApiClient()
    const { text } = await anybody.get(`/v1/dpp/passports/${passport}/vc.jsonld`)
    const { credentialStatus } = JSON.parse(text) as { credentialStatus: { statusListCredential: string }[] }
    const list = new URL(credentialStatus[0]?.statusListCredential ?? '').pathname
    const paths = [`/v1/dpp/passports/${passport}`, `/v1/dpp/passports/${passport}/vc.jsonld`, list, `/p/${passport}`]
    await deleteAsOwner(shop)
    for (const path of paths) {
      const answer = await anybody.get(path, { skipsDocumentCheck: true })
      expect(answer.status, path).to.equal(200)
    }
    const application = await anybody.get(`/v1/applications/${shop.application}`)
    expect([application.status, application.body['signInMethods']]).to.deep.equal([200, []])
  })

  it('refuses keys that are made in the moment of the deletion', async () => {
    const { owner, organization } = await buildOrganization()
    const context = await getOperator()
    const cookie = await signInMember(owner, organization)
    const make = () => createApiKey(context, { organization, name: 'Racing', permissions: allPermissions })
    const early = Array.from({ length: 10 }, make)
    const deletion = remove(cookie, organization)
    const made = await Promise.allSettled([...early, ...Array.from({ length: 10 }, make)])
    expect((await deletion).status).to.equal(204)
    const keys = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : ([] as CreatedApiKey[])))
    for (const { key } of keys) await waitUntil('the key is refused', () => isRefused(key))
    expect(await countEnabledKeys(context.db, organization)).to.equal(0)
    for (const one of made) if (one.status === 'rejected') expect(one.reason).to.include({ code: 'NOT_FOUND' })
    const late = await make().catch((cause: unknown) => cause)
    expect(late).to.include({ code: 'NOT_FOUND' })
  })

  it('lets jobs begin no step until it is restored', async () => {
    const [own, other] = [await buildOrganization(), await buildOrganization()]
    const { db } = await getOperator()
    const cookie = await deleteAsOwner(own)
    const jobs = [own, other].map(({ organization }) => ({ organization, type: 'structure' as const }))
    await insertJobs(db, jobs)
    await waitUntil('the other job has ended', async () => (await countPendingJobs(db, other.organization)) === 0)
    expect(await countPendingJobs(db, own.organization)).to.equal(1)
    expect((await restore(cookie, own.organization)).status).to.equal(303)
    await waitUntil('the job has ended', async () => (await countPendingJobs(db, own.organization)) === 0)
  })
})

describe('Restoring a deleted organization', () => {
  it('is for its owners: everything is there again but keys and sessions', async () => {
    const shop = await buildShop()
    const viewer = await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization)
    const email = createEmail('buyer')
    const buyer = await buildBuyer(shop, email)
    const cookie = await deleteAsOwner(shop)
    const stranger = await signInMember((await buildOrganization()).owner)
    for (const [who, organization] of [
      [viewer, shop.organization],
      [stranger, shop.organization],
      [cookie, randomUUID()],
    ] as const)
      expect((await restore(who, organization)).status).to.equal(403)
    expect((await restore(cookie, shop.organization)).status).to.equal(303)
    expect((await restore(cookie, shop.organization)).status, 'once').to.equal(403)
    const owner = getOwnClient(cookie)
    await owner.post('/v1/auth/organization/set-active', { organizationId: shop.organization })
    expect((await owner.get(`/v1/applications/${shop.application}`)).body['organization']).to.equal(shop.organization)
    expect((await owner.get(`/v1/organizations/${shop.organization}/members`)).body['total']).to.equal(2)
    expect(await isRefused(shop.key), 'the old key').to.equal(true)
    expect((await buyer.get('/v1/auth/session')).status, 'the old session').to.equal(401)
    const again = await signInBuyer(shop.application, email)
    expect([again.status, again.body['account']?.['id']]).to.deep.equal([200, buyer.account])
    const { key } = await buildKey(shop.organization, allPermissions)
    expect((await createApiClient(key).get('/v1/dpp/passports')).status).to.equal(200)
  })

  it('is possible for 30 days', async () => {
    const tenant = await buildOrganization()
    const { db } = await getOperator()
    const cookie = await deleteAsOwner(tenant)
    await dateDeletionBack(db, tenant.organization, 30)
    expect((await restore(cookie, tenant.organization)).status).to.equal(403)
    await dateDeletionBack(db, tenant.organization, 29)
    expect((await restore(cookie, tenant.organization)).status).to.equal(303)
  })
})
