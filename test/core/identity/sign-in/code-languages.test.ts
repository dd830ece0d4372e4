import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import { buildOrganization, type Tenant } from '../../../support/world.ts'
import { createEmail, listMessagesTo } from '../people.ts'

describe('Messages with a code: language', () => {
  let tenant: Tenant
  let name: string
  before(async () => {
    tenant = await buildOrganization()
    name = String((await createApiClient().get(`/v1/applications/${tenant.application}`)).body['name'])
  })

  const readMessage = async (email: string) => {
    const [message] = await listMessagesTo(email)
    return { subject: String(message?.subject).replace(/^\d{6}/, 'N'), text: String(message?.text) }
  }

  it('is that of the browser for buyers', async () => {
    for (const [wish, subject, text] of [
      ['de-AT, fr;q=0.5', `N ist Ihr Code für ${name}`, 'Er ist 10 Minuten lang gültig'],
      ['fr', `N est votre code pour ${name}`, 'pendant 10 minutes'],
      ['it-CH', `N è il codice per ${name}`, 'entro 10 minuti'],
      ['es-MX', `N es su código para ${name}`, 'los próximos 10 minutos'],
      ['pt', `N is your code for ${name}`, 'within 10 minutes'],
    ] as const) {
      const email = createEmail()
      const body = { application: tenant.application, type: 'email-otp', email }
      const answer = await createApiClient().post('/v1/auth/send-otp', body, { headers: { 'accept-language': wish } })
      expect(answer.status, answer.text).to.equal(204)
      const message = await readMessage(email)
      expect(message.subject, wish).to.equal(subject)
      expect(message.text, wish).to.contain(text)
    }
  })

  it('is that of the page where the buyer asks for it', async () => {
    const { slug } = (await createApiClient().get(`/v1/applications/${tenant.application}`)).body
    const email = createEmail()
    const form = new URLSearchParams({ application: String(slug), email, lang: 'it' }).toString()
    const answer = await createApiClient().post('/me/code', undefined, {
      raw: form,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: platform.api,
        'accept-language': 'de',
      },
    })
    expect(answer.status, answer.text).to.equal(200)
    expect((await readMessage(email)).subject).to.equal(`N è il codice per ${name}`)
  })

  it('is English or French for members', async () => {
    for (const [wish, subject] of [
      ['de, fr;q=0.5', 'N est votre code pour Tessera'],
      ['de', 'N is your code for Tessera'],
    ] as const) {
      const email = createEmail()
      const path = '/v1/auth/email-otp/send-verification-otp'
      const answer = await createApiClient().post(
        path,
        { email, type: 'sign-in' },
        { headers: { 'accept-language': wish } },
      )
      expect(answer.status, answer.text).to.equal(204)
      expect((await readMessage(email)).subject, wish).to.equal(subject)
    }
  })
})
