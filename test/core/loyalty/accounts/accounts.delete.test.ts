import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { rehearse } from '../../../support/dpp/dry-runs.ts'
import {
  buildApplication,
  buildBuyer,
  buildKey,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../../support/world.ts'
import { formatVerdict, readPassport, waitForJob } from '../../dpp/passports/fixtures.ts'
import { createEmail, readCodeFor, requestCode, verifyOtp } from '../../identity/people.ts'
import { assignNew } from '../assignments/fixtures.ts'
import { listEntries, mint } from '../points/fixtures.ts'

describe('DELETE /v1/accounts/:id', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })
  const getPath = (account: string) => `/v1/accounts/${account}`

  it('answers the account as it was, erases its person and ends the sessions', async () => {
    const email = createEmail()
    const buyer = await buildBuyer(shop, email)
    await mint(shop.api, buyer.account, { amount: 5 })
    const before = await shop.api.get(getPath(buyer.account))
    const deleted = await shop.api.delete(getPath(buyer.account))
    expect(deleted.status, deleted.text).to.equal(200)
    expect(deleted.body['user']).to.deep.include({ email })
    expect(deleted.body).to.deep.include({ id: buyer.account, user: before.body['user'], dpp: before.body['dpp'] })
    expect(formatVerdict(await shop.api.get(getPath(buyer.account)))).to.equal('404 NOT_FOUND')
    expect(formatVerdict(await shop.api.delete(getPath(buyer.account)))).to.equal('404 NOT_FOUND')
    expect(formatVerdict(await mint(shop.api, buyer.account, { amount: 5 }))).to.equal('404 LOYALTY_ACCOUNT_NOT_FOUND')
    expect((await buyer.get('/v1/auth/session')).status).to.equal(401)
    const listed = await shop.api.get(`/v1/accounts?filters[user.email][eq]=${encodeURIComponent(email)}`)
    expect(listed.body['data']).to.deep.equal([])
  })

  it('leaves one event of the wallet', async () => {
    const own = await buildShop()
    const { account } = await buildBuyer(own)
    await own.api.delete(getPath(account))
    const { body } = await own.api.get('/v1/events?filters[subject][eq]=wallet')
    const types = (body['data'] as unknown as { type: string }[]).map(({ type }) => type)
    expect(types.toSorted()).to.deep.equal(['create', 'delete'])
  })

  it('gives somebody who comes back a new account with nothing of the old one', async () => {
    const email = createEmail()
    const { account, address } = await buildBuyer(shop, email)
    await mint(shop.api, account, { amount: 5 })
    await shop.api.delete(getPath(account))
    const again = await buildBuyer(shop, email)
    expect([again.account, again.address]).not.to.include.members([account])
    expect(again.address).not.to.equal(address)
    const { body } = await shop.api.get(getPath(again.account))
    expect(body['loyalty']).to.include({ optimisticBalance: '0' })
    expect(await listEntries(shop.api, again.account)).to.deep.equal([])
  })

  it('leaves a person the accounts and sessions of other applications', async () => {
    const email = createEmail()
    const elsewhere = { ...shop, application: await buildApplication(shop.organization) }
    const { account } = await buildBuyer(shop, email)
    const kept = await buildBuyer(elsewhere, email)
    expect((await shop.api.delete(getPath(account))).status).to.equal(200)
    expect((await kept.get('/v1/auth/session')).status).to.equal(200)
    const { body } = await shop.api.get(getPath(kept.account))
    expect(body['user']).to.include({ email })
  })

  it('lets points arrive on the chain that were on their way', async () => {
    const { account } = await buildBuyer(shop)
    const minted = await mint(shop.api, account, { amount: 5 })
    expect((await shop.api.delete(getPath(account))).status).to.equal(200)
    const job = await waitForJob(shop.api, `/v1/jobs/${minted.body['jobId']}`)
    expect(job).to.include({ status: 'completed', failed: 0 })
  })

  it('leaves passports that were handed over with their history', async () => {
    const email = createEmail()
    const buyer = await buildBuyer(shop, email)
    const { id } = await buildPublishedPassport(shop, await buildSheet(shop), { allowedClaimEmail: email })
    const claim = await buyer.post('/v1/dpp/claim', { passport: id })
    expect(claim.status, claim.text).to.equal(202)
    const path = `/v1/jobs/${claim.body['jobId']}`
    expect(await waitForJob(buyer, path)).to.include({ status: 'completed' })
    const before = await shop.api.get(`/v1/dpp/passports/${id}/ownership`)
    expect((await shop.api.delete(getPath(buyer.account))).status).to.equal(200)
    expect((await readPassport(shop.api, id)).status).to.equal('claimed')
    expect((await shop.api.get(`/v1/dpp/passports/${id}/ownership`)).body).to.deep.equal(before.body)
  })

  it('removes the assignments that the account got', async () => {
    const email = createEmail()
    const { account } = await buildBuyer(shop, email)
    const { id } = await assignNew(shop, { email })
    await shop.api.delete(getPath(account))
    expect(formatVerdict(await shop.api.get(`/v1/account-assignments/${id}`))).to.equal('404 NOT_FOUND')
  })

  it('says beforehand what it would do, and stores nothing', async () => {
    const email = createEmail()
    const { account } = await buildBuyer(shop, email)
    await mint(shop.api, account, { amount: 5 })
    const dryRun = await rehearse(shop, 'delete', `${getPath(account)}?dryRun=true`)
    expect(dryRun).to.deep.include({ matched: 1, willChange: 1, samples: [{ id: account, name: email }], skipped: [] })
    expect(dryRun.warnings).to.include('Nobody can spend its 5 points any more.')
    expect((await shop.api.get(getPath(account))).status).to.equal(200)
  })

  it('refuses an account of another organization, and who may only change accounts', async () => {
    const { account } = await buildBuyer(shop)
    const other = await buildShop()
    const absent = await other.api.delete(getPath(randomUUID()))
    const foreign = await other.api.delete(getPath(account))
    expect([formatVerdict(absent), formatVerdict(foreign)]).to.deep.equal(['404 NOT_FOUND', '404 NOT_FOUND'])
    const { key } = await buildKey(shop.organization, { loyalty: ['read', 'create', 'update'] })
    const refused = await createApiClient(key).delete(getPath(account))
    expect(formatVerdict(refused)).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
    expect((await shop.api.get(getPath(account))).status).to.equal(200)
  })

  it('refuses a version that has changed', async () => {
    const { account } = await buildBuyer(shop)
    const headers = { 'if-match': '"another"' }
    expect((await shop.api.delete(getPath(account), { headers })).status).to.equal(412)
    expect((await shop.api.get(getPath(account))).status).to.equal(200)
  })

  it('leaves one account, or none, when its person signs in at the same time', async () => {
    for (let round = 0; round < 20; round++) {
      const email = createEmail()
      const { account } = await buildBuyer(shop, email)
      await requestCode(shop.application, email)
      const code = await readCodeFor(email)
      const [signedIn, deleted] = await Promise.all([
        verifyOtp(shop.application, email, code),
        shop.api.delete(getPath(account)),
      ])
      expect(deleted.status, deleted.text).to.equal(200)
      expect(formatVerdict(signedIn)).to.be.oneOf(['200', '401 AUTH_INVALID_OTP'])
      const again = await buildBuyer(shop, email)
      expect(again.account).not.to.equal(account)
      const found = await shop.api.get(`/v1/accounts?filters[user.email][eq]=${encodeURIComponent(email)}`)
      expect(found.body['total']).to.equal(1)
    }
  })

  it('deletes once, however many race', async () => {
    const { account } = await buildBuyer(shop)
    const answers = await Promise.all(Array.from({ length: 8 }, () => shop.api.delete(getPath(account))))
    const verdicts = answers.map(formatVerdict).toSorted()
    expect(verdicts).to.deep.equal(['200', ...Array.from({ length: 7 }, () => '404 NOT_FOUND')])
  })
})
