import { expect } from 'chai'
import type { Passport } from '../../../../core/features/dpp/index.ts'
import { buildApplication, buildShop, type Shop } from '../../../support/world.ts'
import { getBody, waitForJob, readPassport } from '../passports/fixtures.ts'

describe('Withdrawal of a model: its batches and items', () => {
  let shop: Shop
  const names = new Map<string, string>()

  async function make(name: string, product: object, more: object = {}): Promise<void> {
    const made = await shop.api.post('/v1/dpp/passports', {
      application: shop.application,
      network: 'EthereumAnvil',
      product: { name, ...product },
      certifiedPaths: ['made'],
      data: { made: 'by hand' },
      ...more,
    })
    expect(made.status, made.text).to.equal(201)
    names.set(name, getBody<Passport>(made).id)
  }

  /** Publishes or certifies what these are, and what comes along. @returns what the request matched */
  async function run(act: string, ...passportNames: string[]): Promise<number> {
    const filters = passportNames.map(
      (name, at) =>
        `filters[0][value][${at}][field]=id&filters[0][value][${at}][operator]=eq&filters[0][value][${at}][value]=${names.get(name)}`,
    )
    const started = await shop.api.post(`/v1/dpp/passports/${act}&filters[0][operator]=or&${filters.join('&')}`)
    expect(started.status, started.text).to.equal(202)
    const job = await waitForJob(shop.api, `/v1/jobs/${started.body.jobId}`)
    expect(job).to.include({
      status: 'completed',
      total: started.body.matched,
      completed: started.body.matched,
      failed: 0,
    })
    return Number(started.body.matched)
  }

  async function those(test: (passport: Passport) => boolean): Promise<string[]> {
    const all = await Promise.all(
      [...names].map(async ([name, id]) => ({ name, shown: await readPassport(shop.api, id) })),
    )
    return all.filter(({ shown }) => test(shown)).map(({ name }) => name)
  }
  const published = () => those(({ status }) => status === 'published')

  beforeEach(async () => {
    shop = await buildShop()
    names.clear()
    await make('model', { idGranularity: 'model', modelNumber: 'M' })
    await make('batch', { idGranularity: 'batch', modelNumber: 'M', batchNumber: '1' })
    await make('item of the model', { idGranularity: 'item', modelNumber: 'M', itemNumber: 'a' })
    await make('item of the batch', { idGranularity: 'item', modelNumber: 'M', batchNumber: '1', itemNumber: 'b' })
    await make('item that names the batch alone', { idGranularity: 'item', batchNumber: '1', itemNumber: 'c' })
    await make('another model', { idGranularity: 'model', modelNumber: 'N' })
    await make('item of another model', { idGranularity: 'item', modelNumber: 'N', itemNumber: 'd' })
    await make('item of nothing', { idGranularity: 'item', itemNumber: 'e' })
  })

  const family = ['model', 'batch', 'item of the model', 'item of the batch', 'item that names the batch alone']

  it('publishes them with the model, and nothing of others', async () => {
    await make(
      'item elsewhere',
      { idGranularity: 'item', modelNumber: 'M', itemNumber: 'a' },
      { application: await buildApplication(shop.organization) },
    )
    expect(await run('publish?skipCertification=true', 'model')).to.equal(5)
    expect(await published()).to.deep.equal(family)
  })

  it('publishes those that are drafts when the model is published already', async () => {
    await run('publish?skipCertification=true', 'model')
    await make('late item', { idGranularity: 'item', modelNumber: 'M', itemNumber: 'z' })
    expect(await run('publish?skipCertification=true', 'model')).to.equal(2)
    expect(await published()).to.deep.equal([...family, 'late item'])
  })

  it('publishes only the items of a batch, and nothing of an archived one', async () => {
    expect(await run('publish?skipCertification=true', 'batch')).to.equal(3)
    expect(await published()).to.deep.equal(['batch', 'item of the batch', 'item that names the batch alone'])
    await shop.api.patch(`/v1/dpp/passports/${names.get('another model')}`, { status: 'archived' })
    expect(await run('publish?skipCertification=true', 'another model')).to.equal(1)
    expect(await published()).not.to.include('item of another model')
  })

  it('leaves out an item that names a batch of two models', async () => {
    await make('batch of another model', { idGranularity: 'batch', modelNumber: 'N', batchNumber: '1' })
    expect(await run('publish?skipCertification=true', 'model', 'another model')).to.equal(7)
    expect(await published()).not.to.include('item that names the batch alone')
  })

  it('certifies those that are published with the model', async () => {
    await run('publish?skipCertification=true', 'batch')
    await run('publish?skipCertification=true', 'item of another model')
    expect(await run('certify?', 'model')).to.equal(4)
    expect(await those(({ certificationStatus }) => certificationStatus === 'certified')).to.deep.equal([
      'batch',
      'item of the batch',
      'item that names the batch alone',
    ])
  })

  it('gives each a certificate of its own when publishing certifies', async () => {
    expect(await run('publish?', 'model')).to.equal(5)
    expect(await those(({ certificationStatus }) => certificationStatus === 'certified')).to.deep.equal(family)
    const hashes = await Promise.all(
      family.map(async (name) => (await readPassport(shop.api, names.get(name))).contentHash),
    )
    expect(new Set(hashes).size).to.equal(family.length)
  })
})
