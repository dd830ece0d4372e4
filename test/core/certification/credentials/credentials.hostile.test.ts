import { expect } from 'chai'
import { createUntpItem } from '../../../support/values/untp.ts'
import { createSerial, formatVerdict, listFaultPaths, readPassport, waitForJob } from '../../dpp/passports/fixtures.ts'
import { buildPassport, buildSheet, buildShop, type Shop } from '../../../support/world.ts'
import { createBody } from './certified.ts'

describe('Credentials with hostile content', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  const hostile = { '@context': 'http://169.254.169.254/latest/meta-data', '@id': 'https://evil.example/id#1' }

  it('are not made: neither is a passport that would be certified with it', async () => {
    const cases: [object, string[]][] = [
      [{ product: { ...createUntpItem(createSerial()), ...hostile } }, ['product.@context', 'product.@id']],
      [
        { product: { ...createUntpItem(createSerial()), id: 'https://id.example.com:99999/01/09520123456788' } },
        ['product.id'],
      ],
      [{ data: { color: hostile } }, ['data.color.@context', 'data.color.@id']],
      [{ data: { color: { '': 1, id: 7, type: {} } } }, ['data.color.', 'data.color.id', 'data.color.type']],
      [{ data: { color: 1, '@graph': [] }, certifiedPaths: ['@graph'] }, ['data.@graph']],
    ]
    for (const [more, paths] of cases) {
      for (const path of ['passports', 'passports/build-vc']) {
        const answer = await shop.api.post(`/v1/dpp/${path}`, createBody(shop, { certifiedPaths: ['color'], ...more }))
        expect([formatVerdict(answer), ...listFaultPaths(answer)], answer.text).to.deep.equal([
          '422 VALIDATION_FAILED',
          ...paths,
        ])
      }
    }
    const made = await shop.api.post(
      '/v1/dpp/passports',
      createBody(shop, { data: { color: 'red', notes: hostile }, certifiedPaths: ['color'] }),
    )
    expect(made.status, made.text).to.equal(201)
    const { id } = made.body
    const changes: [object, string[]][] = [
      [{ data: { color: hostile } }, ['data.color.@context', 'data.color.@id']],
      [{ certifiedPaths: ['notes'] }, ['data.notes.@context', 'data.notes.@id']],
      [{ product: hostile }, ['product.@context', 'product.@id']],
    ]
    for (const [change, paths] of changes) {
      const answer = await shop.api.patch(`/v1/dpp/passports/${id}`, change)
      expect([formatVerdict(answer), ...listFaultPaths(answer).sort()], answer.text).to.deep.equal([
        '422 VALIDATION_FAILED',
        ...paths,
      ])
    }
  })

  it('fail alone where a sheet allows the content', async () => {
    const passportsFields = [
      { name: '@context', type: 'json' },
      { name: 'color', type: 'string' },
    ]
    const product = await buildSheet(shop, { passportsFields, certifiedPaths: ['@context', 'color'] })
    const [bad, good] = [
      await buildPassport(shop, product, { fields: { '@context': 'https://evil.example' } }),
      await buildPassport(shop, product, { fields: { color: 'red' } }),
    ]
    const started = await shop.api.post(`/v1/dpp/passports/publish?filters[product][eq]=${product}`)
    const job = await waitForJob(shop.api, `/v1/jobs/${started.body.jobId}`)
    expect(job).to.include({ status: 'completed', failed: 1 })
    expect((await readPassport(shop.api, bad.id)).certificationStatus).to.equal('error')
    expect((await readPassport(shop.api, good.id)).certificationStatus).to.equal('certified')
  })
})
