import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { runAdmin } from '../../../support/admin-command.ts'
import { createApiClient } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import { nameAccount } from '../../../support/rows/accounts/accounts.ts'
import { dateDeletionBack, readErasure } from '../../../support/rows/identity/organizations/deleted-organizations.ts'
import { insertInvitations } from '../../../support/rows/identity/invitations.ts'
import { insertErrors } from '../../../support/rows/imports/errors.ts'
import { insertWaitingOrder, readPosOrderState } from '../../../support/rows/loyalty/pos-orders.ts'
import { listRowsNaming, readTransactionNumber } from '../../../support/rows/persons/named-rows.ts'
import { insertJobs } from '../../../support/rows/queue/job-rows.ts'
import { buildBuyer, buildMember, buildPublishedPassport, buildSheet, buildShop } from '../../../support/world.ts'
import { createImport, createMapper } from '../../imports/intake/intake.maker.ts'
import { createEmail, createUniqueName, getOperator, getOwnClient, signInMember } from '../people.ts'

/** Mails stay for their days, and the answers of requests for one. */
const passingTables = /^(?:messages|idempotency)\b/

const cleanUp = async () => {
  const ran = await runAdmin(platform.dataDir, 'cleanup', '--json')
  expect(ran.code, ran.err).to.equal(0)
}

describe('Erasure of a deleted organization', function () {
  this.timeout(240_000)

  it('erases after 30 days what names a person, once, and leaves public passports', async () => {
    const { db } = await getOperator()
    const since = await readTransactionNumber(db)
    const shop = await buildShop()
    const viewer = await buildMember(shop.organization, 'viewer')
    const [buyer, guest, friend] = [createEmail('buyer'), createEmail('guest'), createEmail('friend')]
    const [claimer, stray, diner] = [createEmail('claimer'), createEmail('stray'), createEmail('diner')]
    const [witness, issuer] = [createEmail('witness'), createEmail('issuer')]
    const name = createUniqueName('Ada')
    const { account } = await buildBuyer(shop, buyer)
    await nameAccount(db, account, name)
    await shop.api.post(`/v1/organizations/${shop.organization}/invitations`, { email: guest, role: 'viewer' })
    await shop.api.post('/v1/account-assignments', {
      application: shop.application,
      email: friend,
      optimisticBalance: 5,
    })
    const passport = await buildPublishedPassport(shop, await buildSheet(shop), { allowedClaimEmail: claimer })
    const report = { kind: 'defect', text: 'It is broken.', email: witness }
    expect((await createApiClient().post(`/v1/dpp/passports/${passport.id}/reports`, report)).status).to.equal(204)
    const mapper = await createMapper(shop)
    await insertErrors(db, await createImport(shop), [{ line: 1, value: stray }])
    const { organization, application } = shop
    const order = await insertWaitingOrder(db, { organization, application, customer: `C-${name}`, email: diner })
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const credentials = await shop.api.put(`/v1/applications/${application}/wallet-credentials/google-wallet`, {
      serviceAccount: { client_email: issuer, private_key: key },
    })
    expect(credentials.status, credentials.text).to.equal(200)
    await shop.api.patch(`/v1/organizations/${shop.organization}`, {
      settings: { authConfig: { auth0: { clientSecret: 'a-secret-of-tests' } } },
    })
    const owner = getOwnClient(await signInMember(shop.owner, shop.organization))
    const inviter = String((await owner.get('/v1/auth/session')).body['user']?.['id'])
    // More than one batch of a step.
    await insertInvitations(db, { organization, inviter, count: 501, expiresAt: new Date(Date.now() + 7 * 86_400_000) })
    expect((await owner.delete(`/v1/organizations/${shop.organization}`)).status).to.equal(204)
    await insertJobs(db, [{ organization: shop.organization, payload: { email: friend } }])
    await owner.post('/v1/auth/sign-out')

    await dateDeletionBack(db, shop.organization, 29)
    await cleanUp()
    expect(await readErasure(db, shop.organization)).to.equal(null)
    const persons = [shop.owner, viewer, buyer, guest, friend, claimer, stray, diner, witness, issuer, name]
    const list = async () =>
      (await listRowsNaming(db, persons, { since })).filter((line) => !passingTables.test(line)).sort()
    expect((await list()).length).to.be.above(4)

    await dateDeletionBack(db, shop.organization, 31)
    await Promise.all([cleanUp(), cleanUp()])
    const erasedAt = await readErasure(db, shop.organization)
    expect(erasedAt).to.be.instanceOf(Date)
    expect(await list()).to.deep.equal([])
    const kept = await readPosOrderState(db, order)
    expect([kept?.status, kept?.customer, kept?.email]).to.deep.equal(['awaiting', '', null])
    const rest = await listRowsNaming(db, [mapper, inviter], { since })
    expect(rest.filter((line) => !passingTables.test(line))).to.deep.equal([])
    await cleanUp()
    expect(await readErasure(db, shop.organization)).to.deep.equal(erasedAt)
    const read = await createApiClient().get(`/v1/dpp/passports/${passport.id}`)
    expect(read.status).to.equal(200)
    const restored = await owner.post(`/console/organizations/${shop.organization}/restore`)
    expect(new URL(String(restored.headers['location']), platform.api).pathname).to.equal('/console/sign-in')
  })
})
