import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { describeInBrowser, openBrowser } from '../support/network/chromium.ts'
import { createApiClient as rest } from '../support/client.ts'
import { platform } from '../support/platform.ts'
import { readCodeFor, signInBuyer, createUniqueName } from '../core/identity/people.ts'
import { createAssistant, type Body } from './assistant.ts'

/** What an assistant makes for a brand: an application, an active sheet, 500 minted passports, a link for each of two buyers. */
async function sell() {
  const { client, call, read } = await createAssistant()
  const before = await read(`${platform.api}/v1/applications`)
  const application = await call('create_application', { name: createUniqueName('Journey') })
  const sheet = await call('create_dpp_product', {
    application: application.body.id,
    network: 'EthereumAnvil',
    name: 'Travel kettle',
    passportsFields: [{ name: 'serialNumber', type: 'string', required: true }],
  })
  const active = await call('update_dpp_product', { id: sheet.body.id, status: 'ACTIVE' })
  const seen: number[] = []
  const minted = await call(
    'mint_dpp_product',
    {
      id: sheet.body.id,
      items: Array.from({ length: 500 }, (_, at) => ({ serialNumber: `TK-${at}` })),
    },
    ({ progress }) => seen.push(progress),
  )
  const filters = encodeURIComponent(JSON.stringify([{ field: 'product', operator: 'eq', value: sheet.body.id }]))
  const passports = await read(`${platform.api}/v1/dpp/passports?pageSize=2&filters=${filters}`)
  const links = await Promise.all(passports.data.map(({ id }) => call('get_dpp_passport_magic_token', { id })))
  const job = await read(`${platform.api}/v1/jobs/${minted.body.jobId}`)
  await client.close()
  return { before, application, active, minted, seen, job, passports, links }
}

describe('Journey over MCP: an assistant creates, publishes and mints passports', function () {
  this.timeout(180_000)
  let sold: Awaited<ReturnType<typeof sell>>
  before(async () => {
    sold = await sell()
  })

  it('lists applications, makes one, makes a sheet and activates it', () => {
    expect(sold.before.data.length).to.be.greaterThan(0)
    expect(sold.active.body.status).to.equal('ACTIVE')
  })

  it('mints 500 with progress that never goes back and ends at 500', () => {
    expect(sold.minted.result['isError'] ?? false).to.equal(false)
    expect([...sold.seen].sort((a, b) => a - b)).to.deep.equal(sold.seen)
    expect(sold.seen.at(-1)).to.equal(500)
    expect(sold.job).to.include({ status: 'completed', total: 500, completed: 500, failed: 0 })
  })

  it('reads the passports with filters in the address, and hands out links', () => {
    expect(sold.passports.data.map(({ status }) => status)).to.deep.equal(['published', 'published'])
    for (const { body } of sold.links) expect(body.url).to.contain('/claim?token=')
  })

  it('is told by a sentence and a path what is wrong, and nothing is stored', async () => {
    const { client, call } = await createAssistant()
    const { result } = await call('create_dpp_product', {
      application: sold.application.body.id,
      network: 'EthereumAnvil',
      name: 'X',
      certifiedPaths: ['nowhere'],
    })
    expect(result['isError']).to.equal(true)
    expect(JSON.stringify(result['content'])).to.contain('422 VALIDATION_FAILED').and.to.contain('certifiedPaths[0]')
    await client.close()
  })

  it('lets a buyer claim a passport by REST', async () => {
    const session = await signInBuyer(sold.application.body.id)
    const buyer = rest({ bearer: String(session.body['token']) })
    const claim = await buyer.post('/v1/dpp/claim/magicToken', { magicToken: sold.links[0]?.body.token })
    expect(claim.status, claim.text).to.equal(202)
    const status = await ended(() => buyer.get(String(claim.headers['location'])))
    expect(status.status).to.equal('completed')
    expect(status['result']).to.have.keys('transactionHash', 'tokenId', 'passport')
  })

  describeInBrowser('GET /p/{id}/claim: the link of a claim', () => {
    let browser: Browser
    before(async () => {
      browser = await openBrowser()
    })
    after(() => browser.close())

    it('is claimed by a buyer on the page', async () => {
      const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
      const email = `${createUniqueName('buyer')}@people.example`
      await page.goto(String(sold.links[1]?.body.url))
      await page.getByLabel('Your e-mail address').fill(email)
      await page.getByRole('button', { name: 'Send me a code' }).click()
      await page.getByLabel('Your code').fill(await readCodeFor(email))
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('button', { name: 'Claim it' }).click()
      await page.getByRole('heading', { name: 'It is yours' }).waitFor({ timeout: 60_000 })
    })
  })
})

/** Reads until the job has ended; at most 60 s. */
async function ended(read: () => Promise<{ body: unknown }>): Promise<Body> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline;) {
    const body = (await read()).body as Body
    if (body.status !== 'pending') return body
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('The job did not end within 60 s')
}
