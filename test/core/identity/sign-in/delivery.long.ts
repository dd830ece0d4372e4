import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'chai'
import { findFreePort } from '../../../../core/start/ports.ts'
import { createApiClient, type Client } from '../../../support/client.ts'
import { createTestEnvironment } from '../../../support/environment.ts'
import { startPlatform, type OwnPlatform } from '../../../support/own-platform.ts'
import { countSignInRows } from '../../../support/rows/identity/sign-in-codes.ts'
import { enablePhoneSignIn } from '../../../support/rows/identity/organization-settings.ts'
import { createEmail, buildOperator } from '../people.ts'
import type { ContextHandle } from '../../../../core/app/context.ts'

const root = join(import.meta.dirname, '../../../..')

describe('POST /v1/auth/send-otp in production without a way to send messages', function () {
  this.timeout(120_000)
  let own: OwnPlatform
  let operator: ContextHandle
  let server: ChildProcess
  let api: Client
  let base: string
  before(async () => {
    own = await startPlatform()
    operator = await buildOperator(own.database)
    await enablePhoneSignIn(operator.context.db, own.organization)
    ;({ server, base } = await startProduction({ SIGN_IN_CODES: 'off' }))
    api = createApiClient({}, base)
  })
  after(async () => {
    server?.kill('SIGKILL')
    await operator?.close()
    await own?.stop()
  })

  async function startProduction(env: NodeJS.ProcessEnv) {
    const PORT = String(await findFreePort())
    const address = `http://127.0.0.1:${PORT}`
    const child = spawn(process.execPath, [join(root, 'core/server.ts')], {
      env: createTestEnvironment({
        NODE_ENV: 'production',
        ALLOW_HTTP: 'true',
        DATABASE_URL: own.database,
        DATA_DIR: own.dataDir,
        PORT,
        BASE_URL: address,
        KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
        SESSION_SECRET: 'a secret of this test only',
        LOG_LEVEL: 'fatal',
        ...env,
      }),
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => {
        throw new Error('the server ended')
      }),
    ])
    return { server: child, base: address }
  }

  const countRows = () => countSignInRows(operator.context.db)

  it('is answered 503 by mail and by text message, to buyers and members, and keeps nothing', async () => {
    const before = await countRows()
    const email = createEmail()
    const phone = { type: 'phone-otp', phoneCallingCode: '+39', phone: '3331234567' }
    const calls: [string, object][] = [
      ['/v1/auth/send-otp', { application: own.application, type: 'email-otp', email }],
      ['/v1/auth/send-otp', { application: own.application, ...phone }],
      ['/v1/auth/email-otp/send-verification-otp', { email, type: 'sign-in' }],
    ]
    for (const [path, body] of calls) {
      const { status, body: refusalBody, headers } = await api.post(path, body, { skipsDocumentCheck: true })
      expect([status, refusalBody?.['code']], `${path} ${JSON.stringify(body)}`).to.deep.equal([503, undefined])
      expect(refusalBody['detail']).to.match(/cannot send (mail|text messages)|switched off/)
      expect(headers['content-type']).to.contain('application/problem+json')
    }
    expect(await countRows()).to.deep.equal(before)
  })

  it('is told to people on the page, and keeps nothing', async () => {
    const before = await countRows()
    const { status, text } = await api.post('/console/sign-in', undefined, {
      raw: new URLSearchParams({ email: createEmail() }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: base },
    })
    expect(status).to.equal(503)
    expect(text).to.contain('<h1>')
    expect(await countRows()).to.deep.equal(before)
  })

  it('answers a wrong request as such, and an unknown application with 404', async () => {
    const absent = '01a1f94a-0000-7000-8000-000000000000'
    const send = (body: object) => api.post('/v1/auth/send-otp', body)
    expect((await send({ application: own.application, type: 'email-otp' })).status).to.equal(400)
    expect((await send({ application: absent, type: 'email-otp', email: createEmail() })).status).to.equal(404)
  })

  it('sends by mail where mail is configured, and nothing by text message', async () => {
    const { server: second, base: there } = await startProduction({ SMTP_URL: 'smtp://127.0.0.1:1' })
    try {
      const at = createApiClient({}, there)
      const send = (body: object) =>
        at.post('/v1/auth/send-otp', { application: own.application, ...body }, { skipsDocumentCheck: true })
      expect((await send({ type: 'email-otp', email: createEmail() })).status).to.equal(204)
      expect((await send({ type: 'phone-otp', phoneCallingCode: '+39', phone: '3331234568' })).status).to.equal(503)
    } finally {
      second.kill('SIGKILL')
    }
  })
})
