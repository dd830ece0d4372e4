import { expect } from 'chai'
import { createUniqueName } from '../../identity/people.ts'
import { formatVerdict } from '../../dpp/passports/fixtures.ts'
import { buildPassport, buildSheet, buildShop, type Shop } from '../../../support/world.ts'

describe('JSON Merge Patch', () => {
  let shop: Shop
  let sheet: string
  before(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop)
  })

  const theme = { title: 'Bags', mode: 'dark', primaryColor: '#0a7d54' }
  const newOne = async () => {
    const { body } = await shop.api.post('/v1/applications', {
      name: createUniqueName('Merge'),
      theme,
      domains: ['a.example', 'b.example'],
      websiteUrl: 'https://a.example',
    })
    return `/v1/applications/${body['id']}`
  }
  const patch = (path: string, body: unknown, type = 'application/json') =>
    shop.api.patch(path, undefined, { raw: JSON.stringify(body), headers: { 'content-type': type } })

  it('change what it names, merge objects deeply and replace arrays', async () => {
    const path = await newOne()
    const before = (await shop.api.get(path)).body
    const changed = await patch(
      path,
      { theme: { mode: 'light', googleFont: 'Inter' }, domains: ['c.example'] },
      'application/merge-patch+json',
    )
    expect(changed.status, changed.text).to.equal(200)
    expect(changed.body['theme']).to.deep.equal({ ...theme, mode: 'light', googleFont: 'Inter' })
    expect(changed.body['domains']).to.deep.equal(['c.example'])
    expect(changed.body['name']).to.equal(before['name'])
    expect((await shop.api.get(path)).text).to.equal(changed.text)
  })

  it('clear with null what may be empty, and refuse it for what may not', async () => {
    const path = await newOne()
    const cleared = await patch(path, { theme: { title: null }, websiteUrl: null })
    expect(cleared.body['theme']).to.deep.equal({ mode: 'dark', primaryColor: '#0a7d54' })
    expect(cleared.body['websiteUrl']).to.equal(null)
    for (const member of ['name', 'slug', 'domains'])
      expect(formatVerdict(await patch(path, { [member]: null })), member).to.equal('422 VALIDATION_FAILED')
    expect((await patch(path, {})).text).to.equal(cleared.text)
  })

  it('merge the free fields of a passport by the same rule', async () => {
    const { id } = await buildPassport(shop, sheet, {
      fields: { serialNumber: 'M', color: 'red', origin: { country: 'FR', year: 2020 } },
    })
    const changed = await patch(
      `/v1/dpp/passports/${id}`,
      { fields: { color: null, origin: { year: 2021 } } },
      'application/merge-patch+json; charset=utf-8',
    )
    expect(changed.body['fields']).to.deep.equal({ serialNumber: 'M', origin: { country: 'FR', year: 2021 } })
  })

  it('do not take a JSON Patch for one', async () => {
    const path = await newOne()
    expect(formatVerdict(await patch(path, [{ op: 'remove', path: '/name' }], 'application/json-patch+json'))).to.equal(
      '415 UNSUPPORTED_MEDIA_TYPE',
    )
    expect(formatVerdict(await patch(path, [{ op: 'remove', path: '/name' }]))).to.equal('422 VALIDATION_FAILED')
  })
})
