import { expect } from 'chai'
import { startCourier } from '../../../../core/queue/messages/courier.ts'
import { createApiClient, type Client } from '../../../support/client.ts'
import { readSigningSettings, startSecondServer, type SecondServer } from '../../../support/network/second-server.ts'
import { startTextGateway, type TextGateway } from '../../../support/network/text-gateway.ts'
import { platform } from '../../../support/platform.ts'
import { repeatUntil } from '../../../support/processes.ts'
import { listLettersTo } from '../../../support/rows/queue/runs/letters.ts'
import { buildShop, type Shop } from '../../../support/world.ts'
import { codeOf, createPhone, getOperator } from '../people.ts'

describe('POST /v1/auth/send-otp by phone, through a gateway of text messages', function () {
  this.timeout(120_000)
  let gateway: TextGateway
  let server: SecondServer
  let api: Client
  let shop: Shop
  let stopCourier: () => Promise<void>
  before(async () => {
    gateway = await startTextGateway()
    server = await startSecondServer(platform, { SMS_URL: gateway.url, ...readSigningSettings(platform) })
    api = createApiClient({}, server.api)
    shop = await buildShop()
    await switchPhones(true)
    stopCourier = await startCourierTo(gateway.url)
  })
  after(async () => {
    await stopCourier?.()
    server?.kill()
    await server?.ended
    await gateway?.stop()
  })

  async function startCourierTo(smsUrl: string) {
    const context = await getOperator()
    const courier = startCourier({
      context: { ...context, settings: { ...context.settings, smsUrl } },
      backoff: { minSeconds: 0, maxSeconds: 1 },
    })
    return () => courier.stop()
  }
  const switchPhones = (enabled: boolean) =>
    shop.api.patch(`/v1/organizations/${shop.organization}`, {
      settings: { authConfig: { 'phone-otp': { enabled } } },
    })
  const send = (phone: string, application = shop.application) =>
    api.post('/v1/auth/send-otp', { application, type: 'phone-otp', phoneCallingCode: '+39', phone })
  const verify = (phone: string, otp: string, application = shop.application) =>
    api.post('/v1/auth/verify-otp', { application, type: 'phone-otp', phoneCallingCode: '+39', phone, otp })
  const readText = (phone: string) =>
    repeatUntil(
      `a text message to ${phone}`,
      async () => gateway.texts.find(({ to }) => to === `+39${phone}`)?.text,
      (text) => text !== undefined,
    )
  const waitForEnd = async (phone: string) => {
    const { db } = await getOperator()
    return repeatUntil(
      `the end of the message to ${phone}`,
      async () => (await listLettersTo(db, `+39${phone}`))[0],
      (letter) => letter !== undefined && letter.status !== 'queued',
    )
  }

  it('signs in who reads the code on the phone, and takes it once and for this application alone', async () => {
    const [phone, other] = [createPhone(), await buildShop()]
    expect((await send(phone)).status).to.equal(204)
    const code = /\b\d{6}\b/.exec(String(await readText(phone)))?.[0] ?? ''
    await other.api.patch(`/v1/organizations/${other.organization}`, {
      settings: { authConfig: { 'phone-otp': { enabled: true } } },
    })
    expect(codeOf(await verify(phone, code, other.application))).to.deep.equal([401, 'AUTH_INVALID_OTP'])
    const signedIn = await verify(phone, code)
    expect(signedIn.status, signedIn.text).to.equal(200)
    expect(signedIn.body['user']).to.include({ email: null, phoneNumber: `+39${phone}` })
    expect(codeOf(await verify(phone, code))).to.deep.equal([401, 'AUTH_INVALID_OTP'])
    expect(await waitForEnd(phone), 'no code stays').to.include({ status: 'sent', body: '' })
  })

  it('fits into two parts whatever the brand is called', async () => {
    const named = await shop.api.post('/v1/applications', { name: 'Ł€🎒'.repeat(40) })
    expect(named.status, named.text).to.equal(201)
    const phone = createPhone()
    await send(phone, String(named.body['id']))
    expect(await readText(phone)).to.match(/^\d{6} is your code to sign in to Ł€🎒/)
  })

  it('comes later where the gateway takes no more in this second', async () => {
    gateway.capacity = 0
    const phone = createPhone()
    await send(phone)
    await readText(phone)
    expect(gateway.refusals).to.include('429 too many a second')
    expect(gateway.texts.filter(({ to }) => to === `+39${phone}`).length).to.equal(1)
  })

  it('is given up, with its text, where the gateway refuses the number or the password', async () => {
    const unassigned = createPhone()
    gateway.unassigned.add(`+39${unassigned}`)
    await send(unassigned)
    expect(await waitForEnd(unassigned)).to.include({ status: 'failed', body: '' })
    expect(gateway.refusals).to.include('400 no number')
    await stopCourier()
    stopCourier = await startCourierTo(gateway.wrongUrl)
    const phone = createPhone()
    await send(phone)
    expect(await waitForEnd(phone)).to.include({ status: 'failed', body: '' })
    expect(gateway.refusals).to.include('401 wrong password')
    await stopCourier()
    stopCourier = await startCourierTo(gateway.url)
  })

  it('is sent five times an hour to one number, and not at all where the organization has switched it off', async () => {
    const phone = createPhone()
    for (let count = 0; count < 5; count++) expect((await send(phone)).status).to.equal(204)
    const refused = await send(phone)
    expect(codeOf(refused)).to.deep.equal([429, 'RATE_LIMITED'])
    expect(Number(refused.headers['retry-after'])).to.be.within(1, 3600)
    await switchPhones(false)
    expect(codeOf(await send(createPhone()))).to.deep.equal([422, 'VALIDATION_FAILED'])
    await switchPhones(true)
  })
})
