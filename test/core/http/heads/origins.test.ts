import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { proveDomain } from '../../../support/network/domains.ts'
import { buildShop, type Shop } from '../../../support/world.ts'

const unjudged = { skipsDocumentCheck: true }

describe('CORS: answers to another site', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  const host = `shop-${process.pid}.example`
  before(async () => {
    await proveDomain(shop.api, shop.application, host)
  })
  const from = (origin: string, path = '/v1/applications', method = 'GET', more = {}) =>
    createApiClient({ bearer: shop.key }).send(method, path, undefined, { ...unjudged, headers: { origin, ...more } })
  const preflight = (origin: string) =>
    createApiClient().send('OPTIONS', '/v1/applications', undefined, {
      ...unjudged,
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    })

  it('are readable for the pages of an application, with a token and never with a cookie', async () => {
    for (const origin of [`https://${host}`]) {
      const answer = await from(origin)
      expect([
        answer.status,
        answer.headers['access-control-allow-origin'],
        answer.headers['access-control-allow-credentials'],
      ]).to.deep.equal([200, origin, undefined])
      expect(answer.headers['vary']).to.contain('Origin')
      expect(answer.headers['access-control-expose-headers'])
        .to.contain('Location')
        .and.to.contain('RateLimit')
        .and.to.contain('Idempotency-Replayed')
      const preflightAnswer = await preflight(origin)
      expect([
        preflightAnswer.status,
        preflightAnswer.headers['access-control-allow-origin'],
        preflightAnswer.headers['access-control-allow-credentials'],
      ]).to.deep.equal([204, origin, undefined])
      expect(preflightAnswer.headers['access-control-allow-headers'])
        .to.contain('Authorization')
        .and.not.to.contain('X-Api-Key')
        .and.not.to.contain('Cookie')
      expect(preflightAnswer.headers['access-control-allow-methods']).to.contain('PATCH')
    }
    const refusal = await from(`https://${host}`, '/v1/applications?nonsense=1')
    expect([refusal.status, refusal.headers['access-control-allow-origin']]).to.deep.equal([400, `https://${host}`])
  })

  it('are not for any other page', async () => {
    for (const origin of [
      'https://evil.example',
      `https://${host}.evil.example`,
      `https://evil-${host}`,
      `https://sub.${host}`,
      `http://${host}`,
      `https://${host}:8443`,
      `https://${host}.`,
      `https://${host.toUpperCase()}`,
      'null',
      'nonsense',
      '*',
      `https://${host.replace('.', 'x')}`,
    ]) {
      const [answer, preflightAnswer] = [await from(origin), await preflight(origin)]
      expect(
        [
          answer.status,
          answer.headers['access-control-allow-origin'],
          preflightAnswer.headers['access-control-allow-origin'],
          preflightAnswer.headers['access-control-allow-methods'],
        ],
        origin,
      ).to.deep.equal([200, undefined, undefined, undefined])
      expect(answer.headers['vary']).to.contain('Origin')
    }
  })

  it('keep their validators and their variance', async () => {
    const answer = await from(`https://${host}`, `/v1/applications/${shop.application}`)
    expect(answer.headers['vary']).to.equal('Origin, Authorization, Cookie, X-Api-Key')
  })
})
