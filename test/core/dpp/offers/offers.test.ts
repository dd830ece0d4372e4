import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { encodeFunctionData, type Hex } from 'viem'
import { passportsAbi } from '../../../../core/chains/evm/contracts/passports.abi.ts'
import { callRpc } from '../../../../core/embedded/rpc.ts'
import type { Client } from '../../../support/client.ts'
import { createApiClient } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import { ageOffers, readOfferText } from '../../../support/rows/dpp/offers/offers.ts'
import { ageCodes } from '../../../support/rows/identity/sessions.ts'
import {
  buildBuyer,
  buildDescribedPassport,
  buildPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Buyer,
  type Shop,
} from '../../../support/world.ts'
import { codeOf, createEmail, enablePhones, getOperator, listMessagesTo } from '../../identity/people.ts'
import { listTransfers } from '../passports/chain.ts'
import { listEventTypes, listFaultPaths, listOwners, readPassport, waitForJob } from '../passports/fixtures.ts'

describe('/v1/dpp/passports/:id/transfer', function () {
  this.timeout(120_000)
  let shop: Shop
  let sheet: string
  let [ownerEmail, takerEmail] = ['', '']
  let [owner, taker, stranger] = [] as unknown as [Buyer, Buyer, Buyer]

  before(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop)
    ;[ownerEmail, takerEmail] = [createEmail('owner'), createEmail('taker')]
    owner = await buildBuyer(shop, ownerEmail)
    taker = await buildBuyer(shop, takerEmail)
    stranger = await buildBuyer(shop)
    await enablePhones(shop.organization)
  })

  /** A passport that the owner has claimed. */
  async function claim(by: Buyer = owner, email = ownerEmail): Promise<string> {
    const { id } = await buildPublishedPassport(shop, sheet, { allowedClaimEmail: email })
    const { body } = await by.post('/v1/dpp/claim', { passport: id })
    await waitForJob(by, `/v1/dpp/claim/${body.jobId}/status`)
    return id
  }
  const offer = (passport: string, body: object, by: Client = owner) =>
    by.post(`/v1/dpp/passports/${passport}/transfer`, body)
  const readToken = async (address: string, at = 0): Promise<string> => {
    const message = (await listMessagesTo(address)).filter(({ text }) => text.includes('/transfer?token='))[at]
    return /token=([\w-]+)/.exec(message?.text ?? '')?.[1] ?? ''
  }
  const answer = (passport: string, token: string, by: Client = taker, how = 'accept') =>
    by.post(`/v1/dpp/passports/${passport}/transfer/${how}`, { token })
  const read = async (passport: string, by: Client) => (await by.get(`/v1/dpp/passports/${passport}/transfer`)).body

  it('moves the token to whoever accepts the offer, with event, owner and history', async () => {
    const email = createEmail('new')
    const passport = await claim()
    const made = await offer(passport, { email: email.toUpperCase() })
    expect(made.status, made.text).to.equal(201)
    expect(made.headers['location']).to.equal(`/v1/dpp/passports/${passport}/transfer`)
    expect(made.body).to.deep.include({ passport, direction: 'made', status: 'open', email, phone: null, jobId: null })
    const [message] = await listMessagesTo(email)
    expect(message?.text).to.contain('14 days').and.not.contain(ownerEmail)

    const newcomer = await buildBuyer(shop, email)
    const accepted = await answer(passport, await readToken(email), newcomer)
    expect(accepted.status, accepted.text).to.equal(202)
    const job = await waitForJob(newcomer, `/v1/dpp/claim/${accepted.body.jobId}/status`)
    const { tokenId, token, mintedTo, status } = await readPassport(shop.api, passport)
    const transactionHash = job.result?.['transactionHash']
    expect(job).to.deep.include({ type: 'transfer', status: 'completed', total: 1, completed: 1 })
    expect(job.result).to.deep.equal({ transactionHash, tokenId, passport })
    expect([status, mintedTo?.id, token?.owner]).to.deep.equal(['claimed', newcomer.account, newcomer.address])
    expect(await listEventTypes(shop, passport)).to.deep.equal(['create', 'publish', 'claim', 'transfer'])
    const [, moved] = await listOwners(passport)
    expect(moved).to.deep.include({ type: 'transfer', from: owner.address, to: newcomer.address, transactionHash })
    expect((await listTransfers(String(token?.contract))).get(String(tokenId))?.at(-1)).to.deep.equal({
      from: owner.address.toLowerCase(),
      to: newcomer.address.toLowerCase(),
      transactionHash,
    })
    expect(await read(passport, owner)).to.deep.include({ direction: 'made', status: 'completed', transactionHash })
    expect(await read(passport, newcomer)).to.deep.include({ direction: 'received', status: 'completed' })
    expect((await offer(passport, { email: createEmail() })).body.code).to.equal('DPP_TRANSFER_NOT_ALLOWED')
    expect((await offer(passport, { email: createEmail() }, newcomer)).status).to.equal(201)
  })

  it('offers by phone too, and answers the same for people who are known and who are not', async () => {
    const [first, second] = [await claim(), await claim()]
    const known = await offer(first, { email: takerEmail })
    const unknown = await offer(second, { phone: '+33612345678' })
    expect([known.status, unknown.status]).to.deep.equal([201, 201])
    expect(Object.keys(known.body)).to.deep.equal(Object.keys(unknown.body))
    expect((await listMessagesTo('+33612345678'))[0]).to.deep.include({ channel: 'sms' })
  })

  it('takes one offer of a passport at a time, until it is withdrawn, declined or expired', async () => {
    const { db } = await getOperator()
    const passport = await claim()
    const emails = [1, 2, 3, 4].map((at) => createEmail(`one-${at}`))
    const [first = '', second = '', third = '', fourth = ''] = emails
    expect((await offer(passport, { email: first })).status).to.equal(201)
    expect(codeOf(await offer(passport, { email: second }))).to.deep.equal([409, 'DPP_PASSPORT_NOT_TRANSFERABLE'])
    expect((await owner.delete(`/v1/dpp/passports/${passport}/transfer`)).status).to.equal(204)
    expect(codeOf(await owner.delete(`/v1/dpp/passports/${passport}/transfer`))).to.deep.equal([
      409,
      'DPP_TRANSFER_NOT_OPEN',
    ])
    expect((await offer(passport, { email: second })).status).to.equal(201)
    const decliner = await buildBuyer(shop, second)
    expect((await answer(passport, await readToken(second), decliner, 'decline')).status).to.equal(204)
    expect(await read(passport, owner)).to.deep.include({ status: 'declined', email: second })
    expect((await offer(passport, { email: third })).status).to.equal(201)
    await ageOffers(db, passport, 15)
    expect(await read(passport, owner)).to.deep.include({ status: 'expired' })
    expect((await offer(passport, { email: fourth })).status).to.equal(201)
    for (const [email, how] of [
      [first, 'accept'],
      [second, 'decline'],
      [third, 'accept'],
    ] as const)
      expect(codeOf(await answer(passport, await readToken(email), decliner, how)), email).to.deep.equal([
        400,
        'DPP_TRANSFER_TOKEN_INVALID',
      ])
  })

  it('moves it once for two answers at once', async () => {
    const email = createEmail('twice')
    const passport = await claim()
    await offer(passport, { email })
    const [token, twice] = [await readToken(email), await buildBuyer(shop, email)]
    const answers = await Promise.all([answer(passport, token, twice), answer(passport, token, twice)])
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([202, 400])
    const jobId = answers.find(({ status }) => status === 202)?.body.jobId
    expect(codeOf(await owner.delete(`/v1/dpp/passports/${passport}/transfer`))).to.deep.equal([
      409,
      'DPP_TRANSFER_NOT_OPEN',
    ])
    await waitForJob(twice, `/v1/dpp/claim/${jobId}/status`)
    expect((await listOwners(passport)).map(({ type }) => type)).to.deep.equal(['claim', 'transfer'])
  })

  it('fails with a reason when the owner has moved the token without us, and can be made again', async () => {
    const [from, to] = [createEmail('mover'), createEmail('left')]
    const [mover, left] = [await buildBuyer(shop, from), await buildBuyer(shop, to)]
    const passport = await claim(mover, from)
    const { token, tokenId } = await readPassport(shop.api, passport)
    await offer(passport, { email: to }, mover)
    const args = [mover.address, stranger.address, BigInt(tokenId)] as [Hex, Hex, bigint]
    const data = encodeFunctionData({ abi: passportsAbi, functionName: 'transferFrom', args })
    await callRpc(platform.rpc, 'anvil_setBalance', [mover.address, '0xde0b6b3a7640000'])
    await callRpc(platform.rpc, 'anvil_impersonateAccount', [mover.address])
    await callRpc(platform.rpc, 'eth_sendTransaction', [{ from: mover.address, to: token?.contract, data }])
    const { body } = await answer(passport, await readToken(to), left)
    const job = await waitForJob(left, `/v1/dpp/claim/${body.jobId}/status`)
    const reason = 'The token is not in the wallet of who passes it on.'
    expect([job.status, job.errors[0]?.code, job.errors[0]?.message]).to.deep.equal([
      'failed',
      'TRANSFER_FAILED',
      reason,
    ])
    expect(await read(passport, mover)).to.deep.include({ status: 'failed', reason, transactionHash: null })
    expect((await readPassport(shop.api, passport)).mintedTo?.id).to.equal(mover.account)
    expect((await offer(passport, { email: to }, mover)).status).to.equal(201)
  })

  it('asks for a code of the last 10 minutes', async () => {
    const { db } = await getOperator()
    const email = createEmail('old-code')
    const old = await buildBuyer(shop, email)
    const passport = await claim(old, email)
    await ageCodes(db, email, 11)
    expect(codeOf(await offer(passport, { email: createEmail() }, old))).to.deep.equal([
      403,
      'AUTH_FRESH_CODE_REQUIRED',
    ])
    expect((await offer(passport, { email: createEmail() }, await buildBuyer(shop, email))).status).to.equal(201)
  })

  it('refuses who does not own it, what cannot be passed on, and what is nobody', async () => {
    const passport = await claim()
    const email = createEmail('refused')
    expect(codeOf(await offer(passport, { email }, stranger))).to.deep.equal([403, 'DPP_TRANSFER_NOT_ALLOWED'])
    expect(codeOf(await stranger.delete(`/v1/dpp/passports/${passport}/transfer`))).to.deep.equal([
      403,
      'DPP_TRANSFER_NOT_ALLOWED',
    ])
    const published = (await buildPublishedPassport(shop, sheet)).id
    const draft = (await buildPassport(shop, sheet)).id
    expect(codeOf(await offer(published, { email }))).to.deep.equal([409, 'DPP_PASSPORT_NOT_TRANSFERABLE'])
    const foreign = await buildBuyer(await buildShop())
    for (const [id, by] of [
      [draft, owner],
      [randomUUID(), owner],
      [passport, foreign],
    ] as const) {
      expect(codeOf(await offer(id, { email }, by))).to.deep.equal([404, 'NOT_FOUND'])
      expect(codeOf(await by.get(`/v1/dpp/passports/${id}/transfer`))).to.deep.equal([404, 'NOT_FOUND'])
      expect(codeOf(await by.delete(`/v1/dpp/passports/${id}/transfer`))).to.deep.equal([404, 'NOT_FOUND'])
    }
    for (const [body, path] of [
      [{}, 'email'],
      [{ email: 'nobody' }, 'email'],
      [{ phone: '0612' }, 'phone'],
      [{ email, phone: '+33612345678' }, 'phone'],
      [{ email: ownerEmail.toUpperCase() }, 'email'],
    ] as const)
      expect(listFaultPaths(await offer(passport, body))).to.deep.equal([path])
    expect((await createApiClient().post(`/v1/dpp/passports/${passport}/transfer`, { email })).status).to.equal(401)
    expect((await shop.api.post(`/v1/dpp/passports/${passport}/transfer`, { email })).status).to.equal(403)
    await shop.api.patch(`/v1/dpp/passports/${passport}`, { status: 'archived' })
    expect(codeOf(await offer(passport, { email }))).to.deep.equal([409, 'DPP_PASSPORT_NOT_TRANSFERABLE'])
  })

  it('refuses a passport that is suspended, and takes it again after that', async () => {
    const { id } = await buildDescribedPassport(
      shop,
      { idGranularity: 'item', name: 'Bag', itemNumber: randomUUID() },
      { allowedClaimEmail: ownerEmail, certifiedPaths: ['town'], data: { town: 'Porto' } },
    )
    const started = await shop.api.post(`/v1/dpp/passports/publish?filters[id][eq]=${id}`)
    await waitForJob(shop.api, `/v1/jobs/${started.body.jobId}`)
    const claimed = await owner.post('/v1/dpp/claim', { passport: id })
    await waitForJob(owner, `/v1/dpp/claim/${claimed.body.jobId}/status`)
    const suspend = async (value: boolean) => {
      const body = { purpose: 'suspension', value, reason: 'A test' }
      expect((await shop.api.post(`/v1/dpp/passports/${id}/status`, body)).status).to.equal(200)
    }
    await suspend(true)
    expect(codeOf(await offer(id, { email: createEmail() }))).to.deep.equal([409, 'DPP_PASSPORT_NOT_TRANSFERABLE'])
    await suspend(false)
    expect((await offer(id, { email: createEmail() })).status).to.equal(201)
  })

  it('takes an answer only from whom the offer names, with its token, while it can be passed on', async () => {
    const email = createEmail('named')
    const [passport, other] = [await claim(), await claim()]
    await offer(passport, { email })
    const [token, named] = [await readToken(email), await buildBuyer(shop, email)]
    for (const how of ['accept', 'decline']) {
      expect(codeOf(await answer(passport, token, stranger, how))).to.deep.equal([403, 'DPP_TRANSFER_NOT_ALLOWED'])
      expect(codeOf(await answer(randomUUID(), token, named, how))).to.deep.equal([404, 'NOT_FOUND'])
      expect(codeOf(await answer(other, token, named, how))).to.deep.equal([400, 'DPP_TRANSFER_TOKEN_INVALID'])
      for (const wrong of ['', 'x'.repeat(5_000), `${token}x`, 'ä'])
        expect(codeOf(await answer(passport, wrong, named, how))).to.deep.equal([400, 'DPP_TRANSFER_TOKEN_INVALID'])
    }
    await shop.api.patch(`/v1/dpp/passports/${passport}`, { status: 'archived' })
    expect(codeOf(await answer(passport, token, named))).to.deep.equal([409, 'DPP_PASSPORT_NOT_TRANSFERABLE'])
    expect((await answer(passport, token, named, 'decline')).status).to.equal(204)
  })

  it('sends 3 messages a day to one address and 10 of one person, and stores no token', async () => {
    const { db } = await getOperator()
    const [email, person] = [createEmail('flooded'), createEmail('flooding')]
    const by = await buildBuyer(shop, person)
    const passport = await claim(by, person)
    const send = async (to: string) => {
      const made = await offer(passport, { email: to }, by)
      if (made.status === 201) await by.delete(`/v1/dpp/passports/${passport}/transfer`)
      return made
    }
    const statuses: number[] = []
    for (let at = 0; at < 4; at++) statuses.push((await send(email)).status)
    for (let at = 0; at < 8; at++) statuses.push((await send(createEmail())).status)
    expect(statuses).to.deep.equal([201, 201, 201, 429, 201, 201, 201, 201, 201, 201, 201, 429])
    const refused = await send(createEmail())
    expect([refused.body.code, Number(refused.headers['retry-after']) > 0]).to.deep.equal(['RATE_LIMITED', true])
    expect(await readOfferText(db, passport)).to.not.contain(await readToken(email))
  })
})
