import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { MintJob } from '../../../../core/features/dpp/index.ts'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { deleteAccount } from '../../../support/rows/accounts/accounts.ts'
import { createEmail, getOperator, signInMember } from '../../identity/people.ts'
import {
  buildApplication,
  buildBuyer,
  buildKey,
  buildMember,
  buildPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Buyer,
  type Shop,
} from '../../../support/world.ts'
import { listTransfers } from '../passports/chain.ts'
import {
  getBody,
  waitForJob,
  listEventTypes,
  listOwners,
  readPassport,
  getRows,
  formatVerdict,
} from '../passports/fixtures.ts'

describe('POST /v1/dpp/claim: claims', () => {
  let shop: Shop
  let sheet: string
  let email: string
  let buyer: Buyer

  before(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop)
    email = createEmail('claimer')
    buyer = await buildBuyer(shop, email)
  })

  const mine = (more: object = {}) => buildPublishedPassport(shop, sheet, { allowedClaimEmail: email, ...more })
  const claim = (passport: unknown, by: Buyer = buyer, more: object = {}) =>
    by.post('/v1/dpp/claim', { passport, ...more })
  const tokenOf = async (passport: unknown) =>
    (await shop.api.get(`/v1/dpp/passports/${passport}/magic-token`)).body.token
  const show = (magicToken: unknown, by: Buyer = buyer, more: object = {}) =>
    by.post('/v1/dpp/claim/magicToken', { magicToken, ...more })

  async function claimed(answer: Answer, by: Buyer = buyer): Promise<MintJob> {
    expect(answer.status, answer.text).to.equal(202)
    expect(answer.headers['location']).to.equal(`/v1/jobs/${answer.body.jobId}`)
    await waitForJob(by, String(answer.headers['location']))
    return waitForJob(by, `/v1/dpp/claim/${answer.body.jobId}/status`)
  }

  it('mint the token straight to the claimer', async () => {
    const { id, tokenId } = await mine({ allowedClaimEmail: email.toUpperCase() })
    const answer = await claim(id, buyer, { product: sheet })
    const job = await claimed(answer)
    expect(job).to.deep.include({ type: 'claim', status: 'completed', total: 1, completed: 1, failed: 0, errors: [] })
    const passport = await readPassport(shop.api, id)
    const transactionHash = job.result?.['transactionHash']
    expect(job.result).to.deep.equal({ transactionHash, tokenId, passport: id })
    expect(passport).to.deep.include({
      status: 'claimed',
      mintedTo: { id: buyer.account, address: buyer.address, network: 'EthereumAnvil' },
      token: { contract: passport.token?.contract, transactionHash, owner: buyer.address },
    })
    expect(await listEventTypes(shop, String(id))).to.deep.equal(['create', 'publish', 'claim'])
    expect((await listTransfers(String(passport.token?.contract))).get(String(tokenId))).to.deep.equal([
      { from: `0x${'0'.repeat(40)}`, to: buyer.address.toLowerCase(), transactionHash },
    ])
    const open = await readPassport(createApiClient(), id)
    expect(open.mintedTo).to.deep.equal({ address: buyer.address, network: 'EthereumAnvil' })
    const [owner] = await listOwners(id)
    expect(owner).to.include({ type: 'claim', from: null, to: buyer.address, transactionHash })
    expect(
      getRows(await shop.api.get(`/v1/dpp/passports?filters[mintedTo.id][eq]=${buyer.account}&filters[id][eq]=${id}`)),
    ).to.have.length(1)
    expect(formatVerdict(await shop.api.delete(`/v1/dpp/passports/${id}`))).to.equal('409 DPP_PASSPORT_ALREADY_MINTED')
  })

  it('transfer a batch-minted token, also when its mint is still on its way', async () => {
    const batch = await shop.api.post(`/v1/dpp/products/${sheet}/mint`, [{ serialNumber: 'T-1' }])
    const path = `/v1/dpp/products/${sheet}/mint/${batch.body.jobId}/status`
    const { passport, tokenId } = getBody<MintJob>(await shop.api.get(path)).results[0] ?? {}
    const job = await claimed(await show(await tokenOf(passport)))
    expect(job.status, JSON.stringify(job)).to.equal('completed')
    const shown = await readPassport(shop.api, passport)
    const minted = (await waitForJob(shop.api, path)).results[0]?.transactionHash
    expect(shown).to.deep.include({ status: 'claimed' })
    expect(shown.token).to.include({ owner: buyer.address, transactionHash: minted })
    expect(await listEventTypes(shop, String(passport))).to.have.members(['create', 'publish', 'claim', 'transfer'])
    const owners = await listOwners(passport)
    expect(owners.map(({ type, to, transactionHash }) => ({ type, to, transactionHash }))).to.deep.equal([
      { type: 'mint', to: owners[1]?.from, transactionHash: minted },
      { type: 'claim', to: buyer.address, transactionHash: job.result?.['transactionHash'] },
    ])
    expect(
      (await listTransfers(String(shown.token?.contract))).get(String(tokenId))?.map(({ to }) => to),
    ).to.deep.equal([String(owners[1]?.from).toLowerCase(), buyer.address.toLowerCase()])
  })

  it("make the account on the passport's network when the claimer has none there", async () => {
    const own = await buildShop()
    await own.api.patch(`/v1/applications/${own.application}`, { defaultNetwork: 'EthereumAnvil' })
    const someone = await buildBuyer(own)
    await deleteAccount((await getOperator()).db, someone.account)
    const passport = await buildPublishedPassport(own, await buildSheet(own))
    const { body } = await own.api.get(`/v1/dpp/passports/${passport.id}/magic-token`)
    expect((await claimed(await show(body.token, someone), someone)).status).to.equal('completed')
    const shown = await readPassport(own.api, passport.id)
    expect(shown.mintedTo?.address)
      .to.match(/^0x[0-9a-fA-F]{40}$/)
      .and.not.equal(someone.address)
  })

  it('need the very e-mail or phone that the passport names', async () => {
    const { id } = await mine()
    const [user, domain] = email.split('@') as [string, string]
    for (const trick of [`${user}+x@${domain}`, `${user}.@${domain}`, `x${email}`, `${email}.example`]) {
      const passport = await mine({ allowedClaimEmail: trick.replace('.@', '-@') })
      expect(`${trick} ${formatVerdict(await claim(passport.id))}`).to.equal(`${trick} 403 DPP_CLAIM_NOT_ALLOWED`)
    }
    expect(formatVerdict(await claim(id, await buildBuyer(shop)))).to.equal('403 DPP_CLAIM_NOT_ALLOWED')
    const open = await buildPublishedPassport(shop, sheet)
    expect(formatVerdict(await claim(open.id))).to.equal('403 DPP_CLAIM_NOT_ALLOWED')
  })

  it('are for published passports of open sheets', async () => {
    const draft = await buildPassport(shop, sheet, { allowedClaimEmail: email })
    const archived = await mine()
    await shop.api.patch(`/v1/dpp/passports/${archived.id}`, { status: 'archived' })
    const closed = await buildSheet(shop)
    const onClosed = await buildPublishedPassport(shop, closed, { allowedClaimEmail: email })
    const token = await tokenOf(onClosed.id)
    await shop.api.patch(`/v1/dpp/products/${closed}`, { status: 'ARCHIVED' })
    for (const { id } of [draft, archived, onClosed])
      expect(formatVerdict(await claim(id))).to.equal('409 DPP_PASSPORT_NOT_CLAIMABLE')
    expect(formatVerdict(await show(token))).to.equal('409 DPP_PASSPORT_NOT_CLAIMABLE')
    await shop.api.patch(`/v1/dpp/products/${closed}`, { status: 'ACTIVE' })
    expect((await claimed(await show(token))).status).to.equal('completed')
    expect(formatVerdict(await claim(onClosed.id))).to.equal('409 DPP_PASSPORT_NOT_CLAIMABLE')
    expect(formatVerdict(await shop.api.get(`/v1/dpp/passports/${onClosed.id}/magic-token`))).to.equal(
      '409 DPP_PASSPORT_NOT_CLAIMABLE',
    )
  })

  it('are refused on a network that this installation cannot send on', async () => {
    const away = await buildSheet(shop, { network: 'StarknetSepolia' })
    const { id } = await buildPublishedPassport(shop, away, { allowedClaimEmail: email })
    expect(formatVerdict(await claim(id))).to.equal('422 VALIDATION_FAILED')
    const token = await tokenOf(id)
    expect(formatVerdict(await show(token))).to.equal('422 VALIDATION_FAILED')
    expect(await tokenOf(id)).to.equal(token)
  })

  it('know nothing of other applications and of the wrong sheet', async () => {
    const { id } = await mine()
    const token = await tokenOf(id)
    const neighbour = await buildBuyer({ application: await buildApplication(shop.organization) }, email)
    expect(formatVerdict(await claim(id, neighbour))).to.equal('404 NOT_FOUND')
    expect(formatVerdict(await show(token, neighbour))).to.equal('404 NOT_FOUND')
    const other = await buildSheet(shop)
    expect(formatVerdict(await claim(id, buyer, { product: other }))).to.equal('404 NOT_FOUND')
    expect(formatVerdict(await show(token, buyer, { product: other }))).to.equal('404 NOT_FOUND')
    expect(formatVerdict(await claim(randomUUID()))).to.equal('404 NOT_FOUND')
    expect((await show(token, buyer, { product: sheet })).status).to.equal(202)
  })

  it('spend a token once, whoever shows it', async () => {
    const { id } = await buildPublishedPassport(shop, sheet)
    const token = await tokenOf(id)
    const buyers = await Promise.all(Array.from({ length: 5 }, () => buildBuyer(shop)))
    const answers = await Promise.all(Array.from({ length: 50 }, (_, at) => show(token, buyers[at % 5])))
    expect(answers.filter(({ status }) => status === 202)).to.have.length(1)
    expect([...new Set(answers.filter(({ status }) => status !== 202).map(formatVerdict))]).to.deep.equal([
      '400 DPP_MAGIC_TOKEN_INVALID',
    ])
  })

  it('take no text for a token that is none, however long it is', async () => {
    for (const text of ['', '.', 'x', 'a.b.c', 'x'.repeat(5_000), '\u202e']) {
      expect(formatVerdict(await show(text)), text.slice(0, 20)).to.equal('400 DPP_MAGIC_TOKEN_INVALID')
    }
    expect(formatVerdict(await show(7))).to.equal('422 VALIDATION_FAILED')
  })

  it('are shown to the claimer and the organization alone', async () => {
    const { id } = await mine()
    const {
      body: { jobId },
    } = await claim(id)
    const path = `/v1/dpp/claim/${jobId}/status`
    const job = await waitForJob(buyer, path)
    expect((await buyer.get(`/v1/jobs/${jobId}`)).body).to.deep.equal(job)
    expect((await shop.api.get(`/v1/jobs/${jobId}`)).body).to.deep.equal(job)
    const { text } = await buyer.get(`${path}/sse`, { headers: { accept: 'text/event-stream' } })
    expect(JSON.parse(String(/^data: (.*)$/m.exec(text)?.[1]))).to.deep.equal(job)
    for (const stranger of [
      await buildBuyer(shop),
      await buildBuyer({ application: await buildApplication(shop.organization) }, email),
    ]) {
      for (const hidden of [path, `/v1/jobs/${jobId}`])
        expect(formatVerdict(await stranger.get(hidden))).to.equal('404 NOT_FOUND')
      expect(formatVerdict(await stranger.get(`${path}/sse`, { headers: { accept: 'text/event-stream' } }))).to.equal(
        '404 NOT_FOUND',
      )
    }
    expect(formatVerdict(await (await buildShop()).api.get(`/v1/jobs/${jobId}`))).to.equal('404 NOT_FOUND')
    expect(formatVerdict(await buyer.get(`/v1/dpp/claim/${randomUUID()}/status`))).to.equal('404 NOT_FOUND')
  })

  it('are for buyers who signed in', async () => {
    const { id } = await mine()
    expect(formatVerdict(await createApiClient().post('/v1/dpp/claim', { passport: id }))).to.equal(
      '401 AUTH_UNAUTHENTICATED',
    )
    expect(
      formatVerdict(
        await createApiClient((await buildKey(shop.organization, { dpp: ['update'] })).key).post('/v1/dpp/claim', {
          passport: id,
        }),
      ),
    ).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
    const cookie = await signInMember(await buildMember(shop.organization, 'admin'), shop.organization)
    expect(formatVerdict(await createApiClient({ cookie }).get(`/v1/dpp/claim/${randomUUID()}/status`))).to.equal(
      '403 AUTH_INSUFFICIENT_PERMISSIONS',
    )
    expect(formatVerdict(await buyer.get('/v1/dpp/passports'))).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
    expect(formatVerdict(await claim('x'))).to.equal('422 VALIDATION_FAILED')
    expect(formatVerdict(await buyer.post('/v1/dpp/claim', {}))).to.equal('400 INVALID_REQUEST')
    expect(formatVerdict(await buyer.post('/v1/dpp/claim/magicToken', {}))).to.equal('400 INVALID_REQUEST')
  })

  it('are accepted once for one idempotency key', async () => {
    const { id } = await mine()
    const headers = { 'idempotency-key': randomUUID() }
    const answers = []
    for (let at = 0; at < 3; at++) answers.push(await buyer.post('/v1/dpp/claim', { passport: id }, { headers }))
    expect(answers.map(({ status }) => status)).to.deep.equal([202, 202, 202])
    expect(new Set(answers.map(({ body }) => body.jobId)).size).to.equal(1)
  })
})
