import { expect } from 'chai'
import { listFaults } from '../core/http/query/rows.ts'
import { createSerial, formatVerdict } from '../core/dpp/passports/fixtures.ts'
import { buildSheet, buildShop, type Shop } from '../support/world.ts'

describe('Regressions found by fuzzing', () => {
  let shop: Shop
  let sheet: string
  let job: string
  before(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop)
    const started = await shop.api.post(`/v1/dpp/products/${sheet}/mint`, [{ serialNumber: createSerial() }])
    job = String(started.body['jobId'])
  })

  it('refuses the URN of an identifier in its place, in a path and in a body', async () => {
    expect(formatVerdict(await shop.api.get(`/v1/dpp/products/urn:uuid:${sheet}`))).to.equal('400 INVALID_REQUEST')
    expect(formatVerdict(await shop.api.post('/v1/dpp/passports', { product: `urn:uuid:${sheet}` }))).to.equal(
      '422 VALIDATION_FAILED',
    )
    expect((await shop.api.get(`/v1/dpp/products/${sheet.toUpperCase()}`)).status).to.equal(200)
  })

  it('takes numbers of a query in digits only: no exponent, no other base, no blank', async () => {
    for (const text of ['1e400', '1e1', '0x10', '%201', '1.0', '', 'true', '+1', '1'.repeat(400)]) {
      const answer = await shop.api.get(`/v1/dpp/products/${sheet}/mint/${job}/status?currentPage=${text}`)
      expect(formatVerdict(answer), text).to.equal('400 INVALID_PAGINATION')
    }
    expect((await shop.api.get(`/v1/dpp/products/${sheet}/mint/${job}/status?currentPage=2`)).status).to.equal(200)
    for (const text of ['1', 'TRUE', '', '0'])
      expect(formatVerdict(await shop.api.post(`/v1/dpp/passports/publish?skipCertification=${text}`)), text).to.equal(
        '400 INVALID_REQUEST',
      )
  })

  it('reports a member whose name is not Unicode text, whatever its value', async () => {
    const raw = '{"name":"a","\\u0000":{"b":"\\ud800","c":1}}'
    const answer = await shop.api.post('/v1/applications', undefined, { raw })
    expect([answer.status, ...listFaults(answer)]).to.deep.equal([
      422,
      'VALIDATION_FAILED',
      'body name',
      'b text',
      '\0 unknown_member',
    ])
  })
  it('shortens a member name as long as a body in each issue', async () => {
    const name = 'x'.repeat(100_000)
    const wrong = Array.from({ length: 100 }, () => '\0')
    for (const body of [{ name: 'a', [name]: wrong }, { [name]: { [name]: { a: wrong } } }]) {
      const answer = await shop.api.post('/v1/applications', body)
      expect([400, 422]).to.include(answer.status)
      expect(answer.bytes.length).to.be.lessThan(64 * 1024)
    }
  })

  it('names an unknown field with a name as long as a body by its beginning', async () => {
    const name = 'x'.repeat(900_000)
    for (const answer of [
      await shop.api.post('/v1/dpp/passports', { product: sheet, fields: { [name]: 1 } }),
      await shop.api.post(`/v1/dpp/products/${sheet}/mint`, [{ [name]: 1 }, { serialNumber: createSerial() }]),
    ]) {
      expect(answer.status).to.equal(422)
      expect(answer.bytes.length).to.be.lessThan(8 * 1024)
      expect(listFaults(answer).join()).to.contain('xxx')
    }
  })
})
