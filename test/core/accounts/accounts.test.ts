import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { newId } from '../../../core/database/model.ts'
import { ensureAccount } from '../../../core/features/accounts/index.ts'
import { createApiClient, type Json } from '../../support/client.ts'
import { nameAccount } from '../../support/rows/accounts/accounts.ts'
import { insertUser } from '../../support/rows/identity/new-users.ts'
import {
  readCodeFor,
  enablePhones,
  createEmail,
  createPhone,
  getOperator,
  requestCode,
  signInBuyer,
  verifyOtp,
} from '../identity/people.ts'
import { buildApplication, buildOrganization, type Tenant } from '../../support/world.ts'

describe('Accounts of buyers', () => {
  let tenant: Tenant
  before(async () => {
    tenant = await buildOrganization()
  })

  it('are one for each application and network, of one user', async () => {
    const email = createEmail()
    const other = await buildApplication(tenant.organization)
    const here = (await signInBuyer(tenant.application, email)).body
    const there = (await signInBuyer(other, email)).body
    const base = (await signInBuyer(tenant.application, email, { 'x-network': 'BaseSepolia' })).body
    const again = (await signInBuyer(tenant.application, email)).body
    expect(new Set([here, there, base].map(({ account }) => account?.['id'])).size).to.equal(3)
    expect(new Set([here, there, base, again].map(({ user }) => user?.['id'])).size).to.equal(1)
    expect(base['account']?.['network']).to.equal('BaseSepolia')
    expect(again['account']?.['id']).to.equal(here['account']?.['id'])
    const session = await createApiClient({ bearer: String(base['token']) }).get('/v1/auth/session')
    expect(session.body['account']?.['id']).to.equal(base['account']?.['id'])
  })

  it('refuse an X-Network that is none, before the code is used up', async () => {
    const email = createEmail()
    await requestCode(tenant.application, email)
    const otp = await readCodeFor(email)
    const { status, body } = await verifyOtp(tenant.application, email, otp, { 'x-network': 'Atlantis' })
    expect([status, body['errors']?.[0]?.['path']]).to.deep.equal([400, 'X-Network'])
    expect((await verifyOtp(tenant.application, email, otp)).status).to.equal(200)
  })

  it('refuse a network on which nobody can have a wallet here, before the code is used up', async () => {
    const email = createEmail()
    await requestCode(tenant.application, email)
    const otp = await readCodeFor(email)
    const { status, body } = await verifyOtp(tenant.application, email, otp, { 'x-network': 'StellarTestnet' })
    expect([status, body['errors']?.[0]]).to.deep.equal([
      422,
      {
        path: 'X-Network',
        code: 'unusable_network',
        message: 'is StellarTestnet, where nobody can have a wallet here',
      },
    ])
    expect((await verifyOtp(tenant.application, email, otp)).status).to.equal(200)
  })

  it('leave one event of the wallet each', async () => {
    const own = await buildOrganization()
    const email = createEmail()
    await signInBuyer(own.application, email)
    await signInBuyer(own.application, email)
    const { body } = await createApiClient(own.key).get('/v1/events?filters[subject][eq]=wallet')
    expect(
      (body['data'] as unknown as Json[]).map((event) => [event['type'], event['application']?.['id']]),
    ).to.deep.equal([['create', own.application]])
  })

  it('are one when a person signs in ten times at the same moment', async () => {
    const context = await getOperator()
    const { body } = await signInBuyer(tenant.application)
    const application = await buildApplication(tenant.organization)
    const chains = {
      ...context.chains,
      ensureWalletAddress: async (_network: string, wallet: string) =>
        `0x${wallet.replaceAll(/\W/g, '').slice(-32).padStart(40, '0')}`,
    }
    const holder = { application, network: 'EthereumAnvil' as const, user: String(body['user']?.['id']) }
    const made = await Promise.all(Array.from({ length: 10 }, () => ensureAccount({ ...context, chains }, holder)))
    expect(new Set(made.map(({ id }) => id)).size).to.equal(1)
    const events = await createApiClient(tenant.key).get(
      `/v1/events?filters[application.id][eq]=${application}&filters[subject][eq]=wallet`,
    )
    expect(events.body['data']).to.have.length(1)
  })

  it('belong to one user when a person signs in to two applications at the same moment', async () => {
    const other = await buildApplication(tenant.organization)
    for (let round = 0; round < 5; round++) {
      const email = createEmail()
      const codes: string[] = []
      for (const application of [tenant.application, other]) {
        await requestCode(application, email)
        codes.push(await readCodeFor(email))
      }
      const answers = await Promise.all(
        [tenant.application, other].map((application, i) => verifyOtp(application, email, codes[i] ?? '')),
      )
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200])
      expect(new Set(answers.map(({ body }) => body['user']?.['id'])).size).to.equal(1)
    }
  })

  it('go to the user who became known while the code was judged, by e-mail and by phone', async () => {
    const { db } = await getOperator()
    await enablePhones(tenant.organization)
    const email = createEmail()
    const phone = createPhone()
    const body = { application: tenant.application }
    const ways = [
      { to: email, body: { ...body, type: 'email-otp', email }, user: { email } },
      {
        to: `+39${phone}`,
        body: { ...body, type: 'phone-otp', phoneCallingCode: '+39', phone },
        user: { email: createEmail(), phoneNumber: `+39${phone}` },
      },
    ]
    for (const { to, body, user } of ways) {
      await createApiClient().post('/v1/auth/send-otp', body)
      const otp = await readCodeFor(to)
      const id = newId()
      const trx = await db.transaction()
      await insertUser(trx, { id, ...user })
      const pending = createApiClient().post('/v1/auth/verify-otp', { ...body, otp })
      await sleep(500)
      await trx.commit()
      const answer = await pending
      expect([answer.status, answer.body['user']?.['id']], to).to.deep.equal([200, id])
    }
  })

  it('forget nothing of one application in another: names stay where they were told', async () => {
    const { db } = await getOperator()
    const email = createEmail()
    const { body } = await signInBuyer(tenant.application, email)
    await nameAccount(db, String(body['account']?.['id']), 'Ada')
    expect((await signInBuyer(tenant.application, email)).body['user']?.['name']).to.equal('Ada')
    const elsewhere = await signInBuyer(await buildApplication(tenant.organization), email)
    expect([elsewhere.body['user']?.['name'], elsewhere.body['account']?.['user']?.['name']]).to.deep.equal([
      null,
      null,
    ])
  })
})
