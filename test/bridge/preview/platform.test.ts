import { expect } from 'chai'
import { getResultText } from '../../support/bridge/bridge-client.ts'
import { connectAskingClient, type AskingClient, type PersonResponder } from '../../support/bridge/asking-clients.ts'
import { platform } from '../../support/platform.ts'
import { buildPassport, buildSheet, buildShop, type Shop } from '../../support/world.ts'
import { readPassport, waitForJob } from '../../core/dpp/passports/fixtures.ts'

const yes: PersonResponder = () => ({ action: 'accept', content: { confirm: true } })
const revisions = ['2025-11-25', '2026-07-28'] as const

describe('publish_dpp_passports and certify_dpp_passports over the bridge', () => {
  let shop: Shop
  let sheet: string
  const clients: AskingClient[] = []
  beforeEach(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop, { certifiedPaths: ['serialNumber'] })
  })
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close()
  })

  async function connect(revision: (typeof revisions)[number], person: PersonResponder | null): Promise<AskingClient> {
    const client = await connectAskingClient(platform.bridge, revision, person, { 'x-api-key': shop.key })
    clients.push(client)
    return client
  }
  /** Waits for the job that a call started. */
  async function waitForResult({ structuredContent, ...result }: Awaited<ReturnType<AskingClient['call']>>) {
    expect(structuredContent, getResultText(result as never)).to.have.property('jobId')
    return (await waitForJob(shop.api, `/v1/jobs/${String(structuredContent?.['jobId'])}`)).result
  }
  const bySheet = () => ({ filters: { product: { eq: sheet } } })
  const statusOf = async (id: string) => (await readPassport(shop.api, id)).status

  for (const revision of revisions)
    it(`are done when the person who saw the preview agrees, in revision ${revision}`, async () => {
      const one = await buildPassport(shop, sheet, { reference: 'BAG-1' })
      const client = await connect(revision, yes)
      const published = await waitForResult(
        await client.call('publish_dpp_passports', { ...bySheet(), skipCertification: true }),
      )
      expect(published).to.include({ published: 1 })
      expect(await statusOf(one.id)).to.equal('published')
      const certified = await waitForResult(await client.call('certify_dpp_passports', bySheet()))
      expect(certified).to.include({ certified: 1 })
      const [publishing, certifying] = client.shownQuestions.map(({ message }) => message)
      expect(publishing).to.match(/skipCertification true\.\n1 would change\.\nThe first: "Bag, BAG-1"\.\n/)
      expect(certifying).to.match(/\n1 would change\.\nThe first: "Bag, BAG-1"\.\nThis cannot be undone\.$/)
      const repeated = await client.call('certify_dpp_passports', bySheet())
      expect(getResultText(repeated)).to.match(
        /^Nothing would change: 1 matched\.\nThe first: "Bag, BAG-1"\.\nNot done for 1: They are certified as they are\./,
      )
      expect(client.shownQuestions).to.have.length(2)
    })

  it('leave everything as it is when the person declines', async () => {
    const one = await buildPassport(shop, sheet)
    for (const revision of revisions) {
      const client = await connect(revision, () => ({ action: 'decline' }))
      expect((await client.call('publish_dpp_passports', bySheet())).isError).to.equal(true)
    }
    expect(await statusOf(one.id)).to.equal('draft')
  })

  for (const revision of revisions)
    it(`are previewed and then done for a client that cannot ask, in revision ${revision}`, async () => {
      const one = await buildPassport(shop, sheet, { reference: 'BAG-2' })
      const client = await connect(revision, null)
      for (const name of ['publish_dpp_passports', 'certify_dpp_passports']) {
        const args = name === 'publish_dpp_passports' ? { ...bySheet(), skipCertification: true } : bySheet()
        const before = await statusOf(one.id)
        const { structuredContent: shown } = await client.call(name, args)
        expect(shown?.['preview']).to.deep.include({ matched: 1, willChange: 1 })
        expect(shown?.['preview']).to.have.nested.property('samples[0].name', 'Bag, BAG-2')
        expect(await statusOf(one.id)).to.equal(before)
        const confirmed = { ...args, confirm: shown?.['confirm'] }
        const result = await client.call(name, confirmed)
        await waitForResult(result)
        const used = await client.call(name, confirmed)
        expect(used.isError, getResultText(used)).to.equal(true)
        expect(getResultText(used)).to.contain('409 CONFIRM_USED')
      }
      expect(await statusOf(one.id)).to.equal('published')
    })

  it('show the preview anew when drafts have come since', async () => {
    await buildPassport(shop, sheet)
    const client = await connect('2025-11-25', null)
    const { structuredContent } = await client.call('publish_dpp_passports', bySheet())
    const late = await buildPassport(shop, sheet, { reference: 'LATE-1' })
    const anew = await client.call('publish_dpp_passports', { ...bySheet(), confirm: structuredContent?.['confirm'] })
    expect(getResultText(anew)).to.match(/^The preview has changed since\. Nothing has been done\./)
    expect(getResultText(anew)).to.contain('LATE-1')
    expect(await statusOf(late.id)).to.equal('draft')
  })

  it('are refused without filters', async () => {
    const client = await connect('2026-07-28', null)
    for (const name of ['publish_dpp_passports', 'certify_dpp_passports'])
      expect(getResultText(await client.call(name))).to.match(/- filters: .*; \[\] means all/)
  })
})
