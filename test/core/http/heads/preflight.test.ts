import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { describeInBrowser, openBrowser } from '../../../support/network/chromium.ts'
import { createApiClient } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'

const stranger = 'https://stranger.example'
const preflight = (path: string, method: string, origin = stranger) =>
  createApiClient().send('OPTIONS', path, undefined, {
    skipsDocumentCheck: true,
    headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'content-type' },
  })

describe('OPTIONS of a route that is open to every page', () => {
  it('tells a browser of any origin what its page may send', async () => {
    for (const [path, method, methods] of [
      ['/v1/dpp/credentials/verify', 'POST', 'POST'],
      ['/v1/dpp/contexts/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef', 'GET', 'GET, HEAD'],
      ['/openapi.json', 'GET', 'GET, HEAD'],
    ] as const) {
      const { status, headers } = await preflight(path, method)
      expect([status, headers['access-control-allow-origin']], path).to.deep.equal([204, '*'])
      expect(headers['access-control-allow-methods'], path).to.equal(methods)
      expect(String(headers['access-control-allow-headers']).toLowerCase(), path).to.contain('content-type')
      expect(Number(headers['access-control-max-age']), path).to.be.within(60, 7200)
      expect(headers['access-control-allow-credentials'], path).to.equal(undefined)
    }
  })

  it('never lets a page send credentials', async () => {
    const { headers } = await preflight('/v1/dpp/credentials/verify', 'POST')
    expect(String(headers['access-control-allow-headers'])).not.to.match(/authorization|cookie|api-key/i)
  })

  it('tells what it has to who is no browser', async () => {
    const { status, headers } = await createApiClient().send('OPTIONS', '/v1/dpp/credentials/verify', undefined, {
      skipsDocumentCheck: true,
    })
    expect([status, headers['allow']]).to.deep.equal([204, 'POST, OPTIONS'])
    expect(headers).to.not.have.any.keys('access-control-allow-methods', 'access-control-allow-headers')
  })

  it('tells nothing of a route that is not open, nor of one that is none', async () => {
    for (const path of ['/v1/applications', '/v1/nothing', '/v1/auth/sign-out']) {
      const { status, headers } = await preflight(path, 'POST')
      expect(status, path).to.equal(204)
      expect(
        Object.keys(headers).filter((name) => name.startsWith('access-control') || name === 'allow'),
        path,
      ).to.deep.equal([])
    }
  })
})

describeInBrowser('CORS: a page of another origin', function () {
  this.timeout(120_000)
  let browser: Browser
  let site: Server

  before(async () => {
    browser = await openBrowser()
    site = createServer((_, res) => res.setHeader('Content-Type', 'text/html').end('<title>Another site</title>'))
    await once(site.listen(0, '127.0.0.1'), 'listening')
  })
  after(async () => {
    await browser.close()
    site.close()
  })

  /** What the page's own script comes to. */
  const fetchFromPage = async (
    url: string,
    init: { method: string; headers: Record<string, string>; body: string },
  ) => {
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
    const outcome = await page.evaluate(
      async ([address, request]) => {
        try {
          const answer = await fetch(address, request)
          return {
            status: answer.status,
            body: (await answer.json()) as unknown,
            id: answer.headers.get('x-request-id'),
          }
        } catch (cause) {
          return { refused: String(cause) }
        }
      },
      [url, init] as const,
    )
    await page.close()
    return outcome
  }

  it('can have a credential verified, and read the answer', async () => {
    const token = 'eyJhbGciOiJFZERTQSIsInR5cCI6InZjK2p3dCJ9.e30.AAAA'
    const answer = await fetchFromPage(`${platform.api}/v1/dpp/credentials/verify`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ credential: token }),
    })
    expect(answer).to.nested.include({ status: 422, 'body.code': 'VALIDATION_FAILED' })
    expect(answer.id).to.be.a('string')
  })

  it('can send nothing to a route that is not open', async () => {
    const answer = await fetchFromPage(`${platform.api}/v1/applications`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Api-Key': platform.apiKey },
      body: '{"name":"From another site"}',
    })
    expect(answer.refused).to.contain('Failed to fetch')
  })
})
