import { randomBytes, randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createApnsClient, type Push, type Pusher } from '../../../../../core/features/loyalty/cards/apple/apns.ts'
import { startApns, type ApnsStandIn } from '../../../../support/wallets/apple/apns.ts'
import { createPassCertificate, type PemPair } from '../../../../support/wallets/apple/certificates.ts'
import { createNames, getAuthority } from './authority.ts'

const names = createNames()

const createPush = (more: Partial<Push> = {}): Push => ({
  token: randomBytes(32).toString('hex'),
  topic: names.passTypeIdentifier,
  id: randomUUID(),
  ...more,
})

describe('The client of the Apple Push Notification service', () => {
  let apns: ApnsStandIn
  let certificate: PemPair
  let client: Pusher

  const connectWith = ({ certificate: pem, privateKey }: PemPair): Pusher =>
    createApnsClient({ url: apns.url, certificates: [pem], privateKey, ca: apns.ca })

  before(async () => {
    apns = await startApns(getAuthority())
    certificate = createPassCertificate(getAuthority(), names)
  })
  after(() => apns.stop())
  beforeEach(() => {
    client = connectWith(certificate)
  })
  afterEach(() => client.close())

  it('sends many pushes over one connection, quiet ones with less haste', async () => {
    const before = apns.sessions
    const pushes = Array.from({ length: 3_000 }, (_, at) => createPush({ isQuiet: at % 2 === 0 }))
    const outcomes = await Promise.all(pushes.map((push) => client.push(push)))
    expect(new Set(outcomes.map(({ status }) => status))).to.deep.equal(new Set(['sent']))
    expect(apns.sessions - before).to.equal(1)
    expect(apns.tokens.get(pushes[0]?.token ?? '')).to.deep.equal({ pushes: 1, quiet: 1 })
    expect(apns.tokens.get(pushes[1]?.token ?? '')).to.deep.equal({ pushes: 1, quiet: 0 })
  })

  it('tells of a token that has ended since when, and of a wrong one its reason', async () => {
    const [ended, spoiled] = [createPush(), createPush()]
    const at = new Date('2026-11-01T10:00:00Z')
    apns.endToken(ended.token, at)
    apns.spoilToken(spoiled.token)
    expect(await client.push(ended)).to.deep.equal({
      status: 'failed',
      code: 'Unregistered',
      isGone: true,
      endedAt: at,
    })
    expect(await client.push(spoiled)).to.deep.equal({ status: 'failed', code: 'BadDeviceToken' })
    expect(await client.push(createPush({ topic: 'pass.example.foreign' }))).to.deep.equal({
      status: 'failed',
      code: 'TopicDisallowed',
    })
  })

  it('says when to try again after 429, 500 and 503', async () => {
    for (const fault of ['throttle', 'internal', 'unavailable'] as const) {
      apns.fail(fault, 1)
      expect((await client.push(createPush())).status).to.equal('later')
    }
    expect((await client.push(createPush())).status).to.equal('sent')
  })

  it('sends again what the service did not take, and tells of what broke on its way', async () => {
    apns.fail('refuse', 2)
    expect((await client.push(createPush())).status).to.equal('sent')
    apns.fail('goaway', 1)
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => client.push(createPush())))
    expect(new Set(outcomes.map(({ status }) => status))).to.deep.equal(new Set(['sent']))
    apns.fail('drop', 1)
    expect((await client.push(createPush())).status).to.equal('unknown')
    expect((await client.push(createPush())).status).to.equal('sent')
  })

  it('fails with a certificate that has expired or comes from elsewhere, and waits for a service that is away', async () => {
    const expired = connectWith(createPassCertificate(getAuthority(), names, 0))
    expect(await expired.push(createPush())).to.deep.equal({ status: 'failed', code: 'BadCertificate' })
    expired.close()
    const { certificate: pem, privateKey } = certificate
    const away = createApnsClient({ url: 'https://127.0.0.1:1', certificates: [pem], privateKey })
    expect((await away.push(createPush())).status).to.equal('later')
    away.close()
  })
})
