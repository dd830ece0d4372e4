import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { startPlatform, type OwnPlatform } from '../../../support/own-platform.ts'
import { platform } from '../../../support/platform.ts'
import { readPlatformSecret } from '../../certification/keys/keys.ts'
import { startSecondServer } from '../../../support/network/second-server.ts'
import { forgetSendsForApplications } from '../../../support/rows/identity/code-sends.ts'
import { enablePhoneSignIn } from '../../../support/rows/identity/organization-settings.ts'
import { createEmail, createPhone, buildOperator, listMessagesTo } from '../people.ts'
import { buildOrganization } from '../../../support/world.ts'
import { createApplication } from '../../../../core/features/applications/index.ts'
import { createOrganization } from '../../../../core/features/identity/index.ts'
import type { ContextHandle } from '../../../../core/app/context.ts'

const limited = [429, 'RATE_LIMITED']
const codeOf = ({ status, body }: Answer) => [status, body?.['code'] ?? null]

describe('POST /v1/auth/send-otp: limits of codes that are sent', function () {
  this.timeout(180_000)
  let own: OwnPlatform
  let operator: ContextHandle
  before(async () => {
    own = await startPlatform({
      env: {
        TRUST_PROXY: 'true',
        CODE_SENDS_PER_ADDRESS_HOUR: '4',
        CODE_SENDS_PER_APPLICATION_HOUR: '8',
        CODE_SENDS_PER_ORGANIZATION_HOUR: '12',
      },
    })
    operator = await buildOperator(own.database)
  })
  after(async () => {
    await operator?.close()
    await own?.stop()
  })

  let count = 0
  const newOrganization = async () =>
    (await createOrganization(operator.context, { name: `Org ${count++}`, owner: createEmail('owner') })).id
  const newShop = async (organization?: string) => {
    const home = organization ?? (await newOrganization())
    return operator.context.db.transaction(
      async (trx) => (await createApplication(trx, home, { name: `Shop ${count++}` }, { network: 'EthereumAnvil' })).id,
    )
  }
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
  const send = (application: string, address: string, email = createEmail()) =>
    createApiClient({}, own.api).post('/v1/auth/send-otp', { application, type: 'email-otp', email }, from(address))
  const sendMember = (address: string, email = createEmail()) =>
    createApiClient({}, own.api).post(
      '/v1/auth/email-otp/send-verification-otp',
      { email, type: 'sign-in' },
      from(address),
    )
  /** As many sends as fit, one after the other. */
  const sendMany = async (times: number, next: (at: number) => Promise<Answer>) => {
    const statuses: number[] = []
    for (let at = 0; at < times; at++) statuses.push((await next(at)).status)
    return statuses
  }
  const times = (sent: number, refused: number) => [
    ...Array.from({ length: sent }, () => 204),
    ...Array.from({ length: refused }, () => 429),
  ]

  it('limits one asking address, each realm for itself, and says when the next one can go', async () => {
    const [shop, other] = [await newShop(), await newShop()]
    const asking = '203.0.113.7'
    expect(await sendMany(5, () => send(shop, asking))).to.deep.equal(times(4, 1))
    const refused = await send(shop, asking)
    expect(codeOf(refused)).to.deep.equal(limited)
    expect(Number(refused.headers['retry-after'])).to.be.within(3_500, 3_600)
    expect((await send(shop, '203.0.113.8')).status, 'another address').to.equal(204)
    expect((await send(other, asking)).status, 'another application').to.equal(204)
    expect(await sendMany(5, () => sendMember(asking))).to.deep.equal(times(4, 1))
  })

  it('counts an IPv6 caller as its /64, and IPv4 in IPv6 as IPv4', async () => {
    const shop = await newShop()
    const inOne = (at: number) => send(shop, `2001:db8:1:2:${at}::${at}`)
    expect(await sendMany(5, inOne)).to.deep.equal(times(4, 1))
    expect((await send(shop, '2001:db8:1:3::1')).status, 'the next /64').to.equal(204)
    const mapped = await newShop()
    expect(await sendMany(5, (at) => send(mapped, at % 2 ? '::ffff:203.0.113.9' : '203.0.113.9'))).to.deep.equal(
      times(4, 1),
    )
  })

  it('limits one application and one organization, whoever asks, and no other', async () => {
    const organization = await newOrganization()
    const [first, second] = [await newShop(organization), await newShop(organization)]
    expect(await sendMany(9, (at) => send(first, `198.51.100.${at}`))).to.deep.equal(times(8, 1))
    expect(await sendMany(5, (at) => send(second, `198.51.101.${at}`))).to.deep.equal(times(4, 1))
    expect((await send(await newShop(), '198.51.100.1')).status, 'another organization').to.equal(204)
    expect((await sendMember('198.51.100.1')).status, 'members').to.equal(204)
  })

  it('counts exactly when all come at the same moment, and refused sends use up nothing and leave no message', async () => {
    const shop = await newShop()
    const emails = Array.from({ length: 16 }, () => createEmail('burst'))
    const answers = await Promise.all(emails.map((email, at) => send(shop, `198.51.102.${at}`, email)))
    expect(answers.filter(({ status }) => status === 204)).to.have.length(8)
    const messages = await Promise.all(emails.map((email) => listMessagesTo(email, own.outbox)))
    expect(messages.flat()).to.have.length(8)
    const victim = createEmail('victim')
    expect(await sendMany(6, () => send(shop, '198.51.103.1', victim))).to.deep.equal(times(0, 6))
    await forgetSendsForApplications(operator.context.db)
    expect((await send(shop, '198.51.103.1', victim)).status, 'refused sends did not count for the recipient').to.equal(
      204,
    )
  })

  it('holds to the budgets while a configured Redis is silent or dead: no code goes out uncounted', async () => {
    const redis = own.parts.redis?.pid ?? 0
    expect(redis).to.be.greaterThan(0)
    for (const [at, signal] of (['SIGSTOP', 'SIGKILL'] as const).entries()) {
      process.kill(redis, signal)
      try {
        const shop = await newShop()
        const answers = await Promise.all(Array.from({ length: 9 }, () => send(shop, `198.51.105.${at}`)))
        expect(answers.map(({ status }) => status).sort(), signal).to.deep.equal(times(4, 5))
      } finally {
        if (signal === 'SIGSTOP') process.kill(redis, 'SIGCONT')
      }
    }
    await own.parts.redis?.ready()
  })

  it('limits phone numbers as it limits e-mail addresses', async () => {
    const organization = await newOrganization()
    const shop = await newShop(organization)
    await enablePhoneSignIn(operator.context.db, organization)
    const phone = createPhone()
    const text = (at: number) =>
      createApiClient({}, own.api).post(
        '/v1/auth/send-otp',
        { application: shop, type: 'phone-otp', phoneCallingCode: '+39', phone },
        from(`198.51.104.${at}`),
      )
    expect(await sendMany(6, text)).to.deep.equal(times(5, 1))
  })
})

describe('POST /v1/auth/send-otp: exemptions from the limits', function () {
  this.timeout(180_000)

  /** What two sends to an application of its own come to at one more process of the API. */
  const sendsOf = async (env: NodeJS.ProcessEnv, headers: Record<string, string> = {}) => {
    const { application } = await buildOrganization()
    const second = await startSecondServer(platform, {
      BASE_URL: platform.api,
      KEY_ENCRYPTION_KEY: readPlatformSecret(),
      CODE_SENDS_PER_ADDRESS_HOUR: '1',
      ...env,
    })
    try {
      const send = () =>
        createApiClient({}, second.api).post(
          '/v1/auth/send-otp',
          { application, type: 'email-otp', email: createEmail() },
          { headers },
        )
      return [(await send()).status, (await send()).status]
    } finally {
      second.kill()
      await second.ended
    }
  }

  it('lets loopback callers through in development, and nobody else there', async () => {
    expect(await sendsOf({ NODE_ENV: 'development' })).to.deep.equal([204, 204])
    expect(
      await sendsOf({ NODE_ENV: 'development', TRUST_PROXY: 'true' }, { 'x-forwarded-for': '203.0.113.1' }),
    ).to.deep.equal([204, 429])
  })

  it('tells nobody of it, not even a receiver of figures that the environment names', async () => {
    let calls = 0
    const receiver = createServer((_, response) => {
      calls++
      response.end()
    })
    await once(receiver.listen(0, '127.0.0.1'), 'listening')
    const { port } = receiver.address() as AddressInfo
    try {
      await sendsOf({
        NODE_ENV: 'development',
        BETTER_AUTH_TELEMETRY_ENDPOINT: `http://127.0.0.1:${port}`,
      })
      expect(calls).to.equal(0)
    } finally {
      receiver.close()
    }
  })

  it('counts loopback callers anywhere else', async () => {
    expect(await sendsOf({})).to.deep.equal([204, 429])
  })
})
