import { expect } from 'chai'
import { createGoogleClient, type GoogleClient } from '../../../../../core/features/loyalty/cards/google/client.ts'
import { createClass, createObject } from '../../../../../core/features/loyalty/cards/google/templates.ts'
import { startGoogle, type GoogleStandIn } from '../../../../support/wallets/google/google.ts'

const application = '0198c0de-0000-7000-8000-000000000001'
const card = '0198c0de-0000-7000-8000-000000000002'

describe('Client of Google Wallet', () => {
  let google: GoogleStandIn
  let client: GoogleClient
  beforeEach(async () => {
    google = await startGoogle()
    client = createClient()
  })
  afterEach(() => google.stop())

  function createClient(more: { url?: string; tokenUrl?: string; now?: () => Date } = {}): GoogleClient {
    const { client_email: clientEmail, private_key: privateKey, private_key_id: privateKeyId } = google.serviceAccount
    return createGoogleClient({
      url: google.url,
      tokenUrl: google.tokenUrl,
      serviceAccount: { clientEmail, privateKey, privateKeyId },
      now: () => new Date(),
      timeoutMs: 500,
      ...more,
    })
  }
  const getProgram = (more: object = {}) => ({
    application,
    issuerId: google.issuerId,
    name: 'Café Élan',
    logo: 'https://cards.example/logo.png',
    colour: '#0a7d54',
    callbackUrl: 'https://cards.example/v1/google-wallet/callbacks',
    ...more,
  })
  const content = {
    card,
    memberNumber: '0123456789ABCDEFGHJKMNPQRS',
    points: '12345678901234',
    tier: 'Gold',
    visits: 3,
    message: null,
    language: 'en' as const,
  }
  const createCard = () => createObject(getProgram(), content)
  async function makeCard(): Promise<string> {
    expect(await client.ensureClass(createClass(getProgram()))).to.deep.equal({ status: 'sent' })
    expect(await client.upsertObject(createCard())).to.deep.equal({ status: 'sent' })
    google.objects.get(createCard().id)!.hasUsers = true
    return createCard().id
  }
  const notify = (object: string, id: string) =>
    client.addMessage({ object, id, headline: 'New', body: 'Come and see.' })
  const countRequests = (method: string) => google.requests.filter((one) => one.method === method).length

  it('makes class and card with one token, and sends the class again only when it has changed', async () => {
    await Promise.all([client.ensureClass(createClass(getProgram())), makeCard()])
    expect(google.tokenCount).to.equal(1)
    const before = google.requests.length
    await client.ensureClass(createClass(getProgram()))
    expect(google.requests.length).to.equal(before)
    await client.ensureClass(createClass(getProgram({ name: 'Café Deux' })))
    expect(google.classes.get(`${google.issuerId}.${application}`)).to.include({ programName: 'Café Deux' })
    expect(google.refusals.filter((one) => !one.startsWith('409'))).to.deep.equal([])
  })

  it('changes what a card shows and keeps its messages, without a notification', async () => {
    const object = await makeCard()
    await notify(object, 'm1')
    expect(await client.upsertObject({ ...createCard(), accountId: 'X' })).to.deep.equal({ status: 'sent' })
    expect(google.objects.get(object)).to.include({ accountId: 'X' })
    expect(
      await client.patchObject(object, {
        loyaltyPoints: { label: 'Points', balance: { string: '7' } },
        textModulesData: [],
      }),
    ).to.deep.equal({
      status: 'sent',
    })
    expect(google.objects.get(object)).to.deep.include({ textModulesData: [] })
    expect(google.notices.map(({ message }) => message?.id)).to.deep.equal(['m1'])
    expect(await client.readObject(object)).to.deep.equal({
      status: 'found',
      card: { messages: ['m1'], hasUsers: true },
    })
  })

  it('notifies three times a day, and puts off the fourth', async () => {
    const object = await makeCard()
    for (const id of ['m1', 'm2', 'm3']) expect(await notify(object, id)).to.deep.equal({ status: 'sent' })
    expect(await notify(object, 'm4')).to.deep.equal({ status: 'later', afterSeconds: 3_600 })
    google.advance(25 * 3_600_000)
    expect(await notify(object, 'm4')).to.deep.equal({ status: 'sent' })
  })

  it('fetches one new token when one is refused, and gives up when that is refused too', async () => {
    const object = await makeCard()
    google.revokeTokens()
    expect(await notify(object, 'm1')).to.deep.equal({ status: 'sent' })
    expect(google.tokenCount).to.equal(2)
    google.tokenSeconds = -1
    google.revokeTokens()
    expect(await notify(object, 'm2')).to.deep.equal({ status: 'failed', code: 'UNAUTHENTICATED' })
    expect(google.tokenCount).to.equal(3)
  })

  it('fetches a new token shortly before one ends', async () => {
    google.tokenSeconds = 100
    let shiftMs = 0
    client = createClient({ now: () => new Date(Date.now() + shiftMs) })
    await makeCard()
    shiftMs = 35_000
    await client.readObject(createCard().id)
    expect(google.tokenCount).to.equal(1)
    shiftMs = 45_000
    await client.readObject(createCard().id)
    expect(google.tokenCount).to.equal(2)
  })

  it('says that credentials are refused, and tries later when no token can be had', async () => {
    google.tokenFailures.push('refused', 'down')
    expect(await client.readObject('1.x')).to.deep.equal({ status: 'failed', code: 'INVALID_CREDENTIALS' })
    expect(await client.readObject('1.x')).to.deep.equal({ status: 'later', afterSeconds: 5 })
    client = createClient({ tokenUrl: 'http://127.0.0.1:9/token' })
    expect(await client.readObject('1.x')).to.deep.equal({ status: 'later', afterSeconds: 5 })
    expect(google.requests).to.deep.equal([])
  })

  it('tells what was not done from what may be done', async () => {
    const object = await makeCard()
    google.failures.push('down')
    expect(await notify(object, 'm1')).to.deep.equal({ status: 'later', afterSeconds: 5 })
    for (const failure of ['lost', 'stuck', 'huge'] as const) {
      google.failures.push(failure)
      expect(await notify(object, failure), failure).to.deep.equal({ status: 'unknown' })
    }
    google.failures.push('broken')
    expect(
      await client.patchObject(object, { loyaltyPoints: createCard().loyaltyPoints, textModulesData: [] }),
    ).to.deep.equal({
      status: 'later',
      afterSeconds: 5,
    })
    const messages = ['lost', 'stuck', 'huge']
    expect(await client.readObject(object)).to.deep.equal({ status: 'found', card: { messages, hasUsers: true } })
  })

  it('does not follow a redirect, which would carry the token elsewhere', async () => {
    const object = await makeCard()
    google.failures.push('redirect')
    expect(await client.readObject(object)).to.deep.equal({ status: 'unknown' })
    expect(google.refusals.filter((one) => one.includes('No such address'))).to.deep.equal([])
  })

  it('waits as long as Google says after too many requests a second', async () => {
    const object = await makeCard()
    google.requestsPerSecond = 0
    expect(await notify(object, 'm1')).to.deep.equal({ status: 'later', afterSeconds: 1 })
    expect(countRequests('POST')).to.equal(2)
  })

  it('says what Google refuses: another issuer, an unknown class or card, and a wrong member', async () => {
    expect(await client.ensureClass(createClass(getProgram({ issuerId: '1' })))).to.deep.equal({
      status: 'failed',
      code: 'PERMISSION_DENIED',
    })
    expect(await client.upsertObject(createCard())).to.deep.equal({ status: 'failed', code: 'NOT_FOUND', isGone: true })
    expect(await notify(createCard().id, 'm1')).to.deep.equal({ status: 'failed', code: 'NOT_FOUND', isGone: true })
    expect(await client.ensureClass(createClass(getProgram({ logo: 'http://cards.example/logo.png' })))).to.deep.equal({
      status: 'failed',
      code: 'INVALID_ARGUMENT',
    })
  })
})
