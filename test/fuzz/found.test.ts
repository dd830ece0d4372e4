import { expect } from 'chai'
import { faultsOf } from '../core/http/rows.ts'
import { newSerial, newSheet, newShop, verdict, type Shop } from '../core/passports/fixtures.ts'

describe('What hostile calls found once', () => {
  let shop: Shop
  let sheet: string
  let job: string
  before(async () => {
    shop = await newShop()
    sheet = await newSheet(shop)
    const started = await shop.api.post(`/v1/dpp/products/${sheet}/mint`, [{ serialNumber: newSerial() }])
    job = String(started.body['jobId'])
  })

  it('the URN of an identifier is not the identifier, in a path and in a body', async () => {
    expect(verdict(await shop.api.get(`/v1/dpp/products/urn:uuid:${sheet}`))).to.equal('400 INVALID_REQUEST')
    expect(verdict(await shop.api.post('/v1/dpp/passports', { product: `urn:uuid:${sheet}` }))).to.equal(
      '422 VALIDATION_FAILED',
    )
    expect((await shop.api.get(`/v1/dpp/products/${sheet.toUpperCase()}`)).status).to.equal(200)
  })

  it('a number of a query is written in digits: no exponent, no other base, no blank', async () => {
    for (const text of ['1e400', '1e1', '0x10', '%201', '1.0', '', 'true', '+1', '1'.repeat(400)]) {
      const answer = await shop.api.get(`/v1/dpp/products/${sheet}/mint/${job}/status?currentPage=${text}`)
      expect(verdict(answer), text).to.equal('400 INVALID_PAGINATION')
    }
    expect((await shop.api.get(`/v1/dpp/products/${sheet}/mint/${job}/status?currentPage=2`)).status).to.equal(200)
    for (const text of ['1', 'TRUE', '', '0'])
      expect(verdict(await shop.api.post(`/v1/dpp/passports/publish?skipCertification=${text}`)), text).to.equal(
        '400 INVALID_REQUEST',
      )
  })

  it('a member whose name is no text is told of as that, whatever is behind it', async () => {
    const raw = '{"name":"a","\\u0000":{"b":"\\ud800","c":1}}'
    const answer = await shop.api.post('/v1/applications', undefined, { raw })
    expect([answer.status, ...faultsOf(answer)]).to.deep.equal([
      422,
      'VALIDATION_FAILED',
      'body name',
      'b text',
      '\0 unknown_member',
    ])
  })
  it('a name as long as a body is not told again for each thing that is wrong behind it', async () => {
    const name = 'x'.repeat(100_000)
    const wrong = Array.from({ length: 100 }, () => '\0')
    for (const body of [{ name: 'a', [name]: wrong }, { [name]: { [name]: { a: wrong } } }]) {
      const answer = await shop.api.post('/v1/applications', body)
      expect([400, 422]).to.include(answer.status)
      expect(answer.bytes.length).to.be.lessThan(64 * 1024)
    }
  })

  it('an unknown field with a name as long as a body is named by its beginning', async () => {
    const name = 'x'.repeat(900_000)
    for (const answer of [
      await shop.api.post('/v1/dpp/passports', { product: sheet, fields: { [name]: 1 } }),
      await shop.api.post(`/v1/dpp/products/${sheet}/mint`, [{ [name]: 1 }, { serialNumber: newSerial() }]),
    ]) {
      expect(answer.status).to.equal(422)
      expect(answer.bytes.length).to.be.lessThan(8 * 1024)
      expect(faultsOf(answer).join()).to.contain('xxx')
    }
  })
})
