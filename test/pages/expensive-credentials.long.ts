import { availableParallelism } from 'node:os'
import { expect } from 'chai'
import { createApiClient, type Client } from '../support/client.ts'
import { startPlatform, type OwnPlatform } from '../support/own-platform.ts'
import { words } from '../../core/languages/index.ts'
import { waitUntil } from '../support/processes.ts'
import { buildCertifiedPassport } from '../support/world.ts'

/** As many members as the data of a passport may have: every one costs far more than its bytes. */
const dear = Object.fromEntries(Array.from({ length: 17_000 }, (_, at) => [`k${(at * 7919) % 17_000}`, at % 10]))
const said = words.en

describe('GET /p/{id} of a passport whose credential is expensive to verify', function () {
  this.timeout(180_000)
  let own: OwnPlatform
  let api: Client
  let id: string

  before(async () => {
    own = await startPlatform({ env: { TRUST_PROXY: 'true' } })
    api = createApiClient(own.apiKey, own.api)
    const data = { color: 'red', dear, origin: { country: 'FR' } }
    id = await buildCertifiedPassport({ api, application: own.application } as never, {
      data,
      certifiedPaths: ['color', 'dear', 'origin.country'],
    })
  })
  after(() => own.stop())

  const page = (address: string) =>
    createApiClient({}, own.api).get(`/p/${id}`, { skipsDocumentCheck: true, headers: { 'x-forwarded-for': address } })
  const verify = (address: string, raw: string) =>
    createApiClient({}, own.api).post('/v1/dpp/credentials/verify', undefined, {
      skipsDocumentCheck: true,
      raw,
      headers: { 'x-forwarded-for': address },
    })

  it('judges it, and shows that it holds', async () => {
    const { status, text } = await page('198.51.100.1')
    expect(status).to.equal(200)
    expect(text).to.contain(said.standing.verified.head)
  })

  it('says that it is not judged now to a network whose own requests fill its turns, and judges it for others', async () => {
    const { bytes } = await createApiClient({}, own.api).get(`/v1/dpp/passports/${id}/vc.jsonld`)
    let isFlooding = true
    const flood = Array.from({ length: 14 + availableParallelism() }, async () => {
      while (isFlooding) await verify('198.51.100.2', bytes.toString('utf8'))
    })
    try {
      await waitUntil(
        'the page that the flooding network asks for is not judged',
        async () => {
          const { status, text } = await page('198.51.100.2')
          expect(status).to.equal(200)
          return text.includes(said.standing.unknown.head)
        },
        60_000,
      )
      const other = await page('198.51.100.3')
      expect(other.status).to.equal(200)
      expect(other.text).to.contain(said.standing.verified.head)
    } finally {
      isFlooding = false
      await Promise.all(flood)
    }
  })
})
