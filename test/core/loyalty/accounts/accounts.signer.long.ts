import { expect } from 'chai'
import { createApiClient, type Client } from '../../../support/client.ts'
import { startPlatform, type OwnPlatform } from '../../../support/own-platform.ts'
import { waitUntil } from '../../../support/processes.ts'
import { createEmail, listMessagesTo } from '../../identity/people.ts'

/** Signs a person in on a platform of its own, with attempts until the API answers. */
async function signIn({ api, application, outbox }: OwnPlatform, email: string): Promise<string> {
  const anonymous = createApiClient({}, api)
  const receiver = { application, type: 'email-otp', email }
  let account = ''
  await waitUntil('the person is signed in', async () => {
    try {
      await anonymous.post('/v1/auth/send-otp', receiver)
      const [message] = await listMessagesTo(email, outbox)
      const otp = /\b\d{6}\b/.exec(message?.text ?? '')?.[0]
      const signedIn = await anonymous.post('/v1/auth/verify-otp', { ...receiver, otp })
      account = String(signedIn.body['account']?.['id'])
      return signedIn.status === 200
    } catch {
      return false
    }
  })
  return account
}

describe('Accounts of a platform whose processes are stopped', function () {
  this.timeout(300_000)
  let own: OwnPlatform
  let api: Client
  before(async () => {
    own = await startPlatform({ keeperDelays: { maxMs: 300 } })
    api = createApiClient(own.apiKey, own.api)
    const bonus = await api.patch(`/v1/applications/${own.application}`, { loyaltySettings: { welcomeBonus: '50' } })
    expect(bonus.status, bonus.text).to.equal(200)
  })
  after(() => own?.stop())

  it('stay as they are while the signer does not answer, and are deleted when it does again', async () => {
    const email = createEmail()
    const account = await signIn(own, email)
    const before = await api.get(`/v1/accounts/${account}`)
    const { pid } = own.children.signer
    process.kill(pid!, 'SIGSTOP')
    const refused = await api.delete(`/v1/accounts/${account}`).finally(() => process.kill(pid!, 'SIGCONT'))
    expect([refused.status, refused.body['title'], refused.body['code']]).to.deep.equal([502, 'Bad Gateway', undefined])
    expect((await api.get(`/v1/accounts/${account}`)).body).to.deep.equal(before.body)
    const deleted = await api.delete(`/v1/accounts/${account}`)
    expect([deleted.status, deleted.body], deleted.text).to.deep.equal([200, before.body])
  })

  it('are created with the same code after the signer did not answer, and leave no session behind', async () => {
    const email = createEmail()
    const { application, outbox } = own
    const receiver = { application, type: 'email-otp', email }
    const anonymous = createApiClient({}, own.api)
    await anonymous.post('/v1/auth/send-otp', receiver)
    const [message] = await listMessagesTo(email, outbox)
    const otp = /\b\d{6}\b/.exec(message?.text ?? '')?.[0]
    const verify = () => anonymous.post('/v1/auth/verify-otp', { ...receiver, otp })
    const { pid } = own.children.signer
    process.kill(pid!, 'SIGSTOP')
    const refused = await verify().finally(() => process.kill(pid!, 'SIGCONT'))
    expect(refused.status, refused.text).to.equal(503)
    const signedIn = await verify()
    expect(signedIn.status, signedIn.text).to.equal(200)
    const bearer = createApiClient({ bearer: String(signedIn.body['token']) }, own.api)
    const { body } = await bearer.get('/v1/auth/sessions')
    expect(body['data']).to.have.length(1)
    expect((await verify()).body['code']).to.equal('AUTH_INVALID_OTP')
  })

  it('have the bonus and what was assigned once, when the API is killed while they are created', async () => {
    for (let round = 0; round < 6; round++) {
      const email = createEmail()
      const { application, outbox } = own
      const assigned = await api.post('/v1/account-assignments', { application, email, optimisticBalance: 25 })
      expect(assigned.status, assigned.text).to.equal(201)
      const receiver = { application, type: 'email-otp', email }
      await createApiClient({}, own.api).post('/v1/auth/send-otp', receiver)
      const [message] = await listMessagesTo(email, outbox)
      const otp = /\b\d{6}\b/.exec(message?.text ?? '')?.[0]
      const { pid } = own.children.server
      const signingIn = createApiClient({}, own.api)
        .post('/v1/auth/verify-otp', { ...receiver, otp })
        .catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 60))
      process.kill(pid!, 'SIGKILL')
      await signingIn
      const account = await signIn(own, email)
      const { body } = await api.get(`/v1/accounts/${account}`)
      expect(body['loyalty']).to.include({ optimisticBalance: '75' })
      const orders = await api.get(`/v1/loyalty/orders?walletId=${account}`)
      const gifts = (orders.body['data'] as unknown as { kind: string }[]).map(({ kind }) => kind).toSorted()
      expect(gifts).to.deep.equal(['assignment', 'welcome'])
      expect((await api.get(`/v1/account-assignments/${assigned.body['id']}`)).body['status']).to.equal('consumed')
    }
  })
})
