import { expect } from 'chai'
import { createApiClient, type Client } from '../../support/client.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'
import { waitUntil } from '../../support/processes.ts'
import { createVisitor } from '../../pages/certification/forms.ts'
import { countThings, readCalls, waitForEnd } from '../../pages/demo/scenes.ts'

/** Signs the owner of the demo organization in to the console. */
async function signInOwner({ api, outbox, signIn, organization }: OwnPlatform): Promise<string> {
  const anonymous = createApiClient({}, api)
  await anonymous.post('/v1/auth/email-otp/send-verification-otp', { email: signIn, type: 'sign-in' })
  const { body } = await createApiClient({}, outbox).get('', { skipsDocumentCheck: true })
  const messages = body as unknown as { to: string; text: string }[]
  const otp = messages.find(({ to }) => to === signIn)?.text.match(/\b\d{6}\b/)?.[0]
  const answer = await anonymous.post('/v1/auth/sign-in/email-otp', { email: signIn, otp })
  expect(answer.status, answer.text).to.equal(200)
  const cookie = `tessera.session=${answer.body['token']}`
  const headers = { origin: new URL(api).origin }
  const member = createApiClient({ cookie }, api)
  await member.post('/v1/auth/organization/set-active', { organizationId: organization }, { headers })
  const { body: legal } = await member.get('/v1/legal/me')
  const missing = legal['missing'] as unknown as { id: string; version: string }[]
  const acceptances = missing.map(({ id, version }) => ({ document: id, version }))
  if (acceptances.length > 0) await member.post('/v1/legal/acceptances', { acceptances }, { headers })
  return cookie
}

describe('Demo run: a worker killed behind a call that it has not stored', () => {
  let own: OwnPlatform | undefined
  let api: Client
  after(() => own?.stop())

  it('goes on at its step and makes nothing twice, with points that are credited and a mint among the calls', async () => {
    own = await startPlatform({ env: { TESSERA_FAULT: 'none' } })
    const { children, lines, application } = own
    api = createApiClient(own.apiKey, own.api)
    const visitor = createVisitor(await signInOwner(own), own.api)
    const earlier = await countThings(api)
    children.worker.arm('demo.called:7')
    const fields = { scenario: 'full', application, size: '1', network: 'EthereumAnvil' }
    const started = await visitor.submit('/console/demo', fields)
    expect(started.status, started.text).to.equal(303)
    const run = String(started.headers['location'])
    const countKills = () => lines.filter((line) => line.includes('"struck"')).length
    for (const [at, fault] of ['demo.called:8', 'none'].entries()) {
      const { pid } = children.worker
      await waitUntil('the worker is killed', () => countKills() > at)
      await waitUntil('another worker runs', () => ![undefined, pid].includes(children.worker.pid))
      await children.worker.ready()
      children.worker.arm(fault)
    }
    const calls = readCalls(await waitForEnd(visitor, run))
    expect(calls.filter(({ result }) => result === 'not as expected')).to.deep.equal([])
    expect(countKills()).to.equal(2)
    const after = await countThings(api)
    expect(after).to.include({
      applications: earlier.applications,
      sheets: earlier.sheets + 2,
      passports: earlier.passports + 2,
      assignments: earlier.assignments + 20,
    })
    expect(after.orders - earlier.orders).to.be.at.most(5)
  })
}).timeout(400_000)
