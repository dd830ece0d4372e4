import { expect } from 'chai'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { platform } from '../support/platform.ts'
import {
  callConfirmedTool,
  callMcpTool,
  connectClient,
  readResourceText,
  getResultText,
} from '../support/bridge/bridge-client.ts'
import { createUniqueName } from '../core/identity/people.ts'
import { buildOrganization, type Tenant } from '../support/world.ts'

type Body = Record<string, unknown> & { id: string; jobId: string; status: string }

/** A brand's day with certificates, through the official client and the bridge alone. */
describe('Journey over MCP: an assistant certifies passports and keeps the evidence', function () {
  this.timeout(120_000)
  let brand: Tenant
  let client: Client
  const number = createUniqueName('FJ')
  const made: Body[] = []

  before(async () => {
    brand = await buildOrganization()
    client = await connectClient(platform.bridge, { 'x-api-key': brand.key })
  })
  after(() => client.close())

  async function act(name: string, args: Record<string, unknown>): Promise<Body> {
    const result = await callConfirmedTool(client, name, args)
    expect(result.isError ?? false, getResultText(result)).to.equal(false)
    return result.structuredContent as Body
  }
  const read = async (path: string) => {
    const { mimeType, text } = await readResourceText(client, `${platform.api}${path}`)
    return { mimeType, body: JSON.parse(text) as Body }
  }
  /** Follows a job as the answer of its tool says. */
  async function done(jobId: string): Promise<Body> {
    for (const end = Date.now() + 60_000; Date.now() < end;) {
      const { body } = await read(`/v1/jobs/${jobId}`)
      if (body.status !== 'pending') return body
    }
    throw new Error('The job did not end within 60 s')
  }
  const certificateOf = ({ id }: Body) => read(`/v1/dpp/passports/${id}/vc.jsonld`)

  it('describes a model, its batch and its items', async () => {
    const products = [
      { idGranularity: 'model', name: 'Field jacket', modelNumber: number },
      { idGranularity: 'batch', name: 'Field jacket', modelNumber: number, batchNumber: 'B1' },
      { idGranularity: 'item', name: 'Field jacket', modelNumber: number, batchNumber: 'B1', itemNumber: '1' },
      { idGranularity: 'item', name: 'Field jacket', modelNumber: number, batchNumber: 'B1', itemNumber: '2' },
    ]
    for (const product of products) {
      made.push(
        await act('create_dpp_passport', {
          application: brand.application,
          network: 'EthereumAnvil',
          product,
          data: { origin: { town: 'Porto' }, note: 'ours' },
          certifiedPaths: ['origin.town'],
        }),
      )
    }
    expect(made[3]?.['batch']).to.deep.include({ id: made[1]?.id })
    expect(made[3]?.['model']).to.deep.include({ id: made[0]?.id })
  })

  it('sees beforehand what would be certified, and is told what cannot be', async () => {
    const built = await act('build_dpp_passport_vc', {
      application: brand.application,
      product: { idGranularity: 'item', name: 'Field jacket', itemNumber: '9' },
      data: { origin: { town: 'Porto' } },
      certifiedPaths: ['origin.town'],
    })
    expect(built['credentialSubject']).to.deep.include({
      name: 'Field jacket',
      characteristics: { origin: { town: 'Porto' } },
    })
    const refused = await callMcpTool(client, 'build_dpp_passport_vc', {
      application: brand.application,
      product: { idGranularity: 'item', name: 'Field jacket', itemNumber: '9' },
      data: {},
    })
    expect([refused.isError, getResultText(refused)].join(' ')).to.contain('DPP_VC_NOTHING_TO_CERTIFY')
  })

  it('publishes the model, and the others come along, each certified and anchored', async () => {
    const { jobId } = await act('publish_dpp_passports', {
      filters: [{ field: 'id', operator: 'eq', value: made[0]?.id }],
    })
    const job = await done(jobId)
    expect(job).to.deep.include({ status: 'completed', total: 4, completed: 4 })
    expect(job['result']).to.deep.include({ published: 4, certified: 4 })
    const roots = new Set<unknown>()
    for (const passport of made) {
      const { mimeType, body } = await certificateOf(passport)
      expect(mimeType).to.equal('application/ld+json')
      expect(body['proof']).to.deep.include({ cryptosuite: 'eddsa-jcs-2022' })
      roots.add((await read(`/v1/dpp/passports/${passport.id}/anchor`)).body['root'])
    }
    expect(roots.size).to.equal(1)
  })

  it('rotates the key, and no certificate changes; the next ones are signed with the new key', async () => {
    const before = await Promise.all(made.map(certificateOf))
    const { body: old } = await read('/v1/dpp/certification-key')
    const { key, queuedJobs } = await act('rotate_certification_key', {})
    expect(queuedJobs).to.equal(1)
    for (const end = Date.now() + 30_000; (await read('/v1/dpp/certification-key')).body.id === old.id;) {
      if (Date.now() > end) throw new Error('The new key did not become active within 30 s')
    }
    expect((await read('/v1/dpp/certification-key')).body.id).to.equal((key as Body).id)
    expect(await Promise.all(made.map(certificateOf))).to.deep.equal(before)
    await act('update_dpp_passport', { id: made[3]?.id, data: { origin: { town: 'Braga' } } })
    for (const end = Date.now() + 30_000; ;) {
      const { body } = await read(`/v1/dpp/passports/${made[3]?.id}`)
      if (body['certificationStatus'] === 'certified') break
      if (Date.now() > end) throw new Error('It was not certified again within 30 s')
    }
    const { body: after } = await certificateOf(made[3] as Body)
    expect(after['credentialSubject']).to.deep.include({ characteristics: { origin: { town: 'Braga' } } })
    expect((after['proof'] as Body)['verificationMethod']).to.contain((key as Body)['kid'])
    expect((await read('/v1/dpp/certification-keys')).body as unknown as Body[]).to.have.length(2)
  })
})
