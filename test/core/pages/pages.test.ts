import { expect } from 'chai'
import { client, type Json } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'
import { newEmail, signInMember } from '../identity/people.ts'
import { newBuyer, newPublished, newSheet, newShop, type Shop } from '../passports/fixtures.ts'

/** An identifier that nothing has. */
const absent = '00000000-0000-4000-8000-000000000000'

/** Text of HTML as a reader has it. */
const read = (html: string) => html.replace(/<[^>]+>/g, '')
  .replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

describe('Pages', () => {
  let shop: Shop
  before(async () => { shop = await newShop() })

  it('of a passport name each value as its definition does, nested ones too', async () => {
    const address = { name: 'address', label: 'Where it was made', type: 'object', fields: [
      { name: 'town', label: 'Town', type: 'string' }, { name: 'site', label: 'Workshop', type: 'url' },
      { name: 'deep', label: 'More', type: 'object', fields: [{ name: 'n', label: 'Floor <2>', type: 'number' }] },
    ] }
    const sheet = await newSheet(shop, { passportsFields: [address] })
    const made = { town: 'Biella', site: 'https://mill.example/', deep: { n: 2 } }
    const { id } = await newPublished(shop, sheet, { fields: { address: made } })
    const { text } = await client().get(`/p/${id}`)
    for (const label of ['Where it was made', 'Town', 'Workshop', 'More', 'Floor &lt;2&gt;']) {
      expect(text).to.contain(`<dt>${label}</dt>`)
    }
    expect(text).to.contain('<dd>Biella</dd>').and.to.contain('<a href="https://mill.example/"').and.to.contain('<dd>2</dd>')
    await shop.api.patch(`/v1/dpp/products/${sheet}`, {
      passportsFields: [{ name: 'address', type: 'object', fields: [{ name: 'town', type: 'object', fields: [] }] }],
    })
    const changed = await client().get(`/p/${id}`)
    expect([changed.status, changed.text.includes('<dd>Biella</dd>')]).to.deep.equal([200, true])
  })

  it('to claim keep what was typed, for the buyer to mend', async () => {
    const { id } = await newPublished(shop, await newSheet(shop))
    const { body } = await shop.api.get(`/v1/dpp/passports/${id}/magic-token`)
    const form = new URLSearchParams({ token: String(body['token']), email: 'ada@"example' }).toString()
    const answer = await client().post('/claim/code', undefined, {
      raw: form, headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(answer.status).to.equal(422)
    expect(answer.text).to.contain('value="ada@&quot;example"').and.to.contain('role="alert"')
  })
})

describe('The reference at /docs', () => {
  const examples = new Map<string, string>()
  before(async () => {
    const { text } = await client().get('/docs')
    for (const [, id = '', part = ''] of text.matchAll(/<details id="(\w+_v1)">([\s\S]*?)<\/details>/g)) {
      examples.set(id, read(/<pre>([\s\S]*?)<\/pre>/.exec(part)?.[1] ?? ''))
    }
  })

  it('signs each example with what its operation takes', async () => {
    const { body } = await client().get('/openapi.json')
    const methods = Object.values(body['paths'] ?? {}) as Record<string, Json>[]
    for (const operation of methods.flatMap((path) => Object.values(path))) {
      const line = examples.get(String(operation['operationId'])) ?? ''
      const people = ['endUser', 'member'].includes(String(operation['x-access']))
      const header = operation['x-access'] === 'public' ? undefined : people ? '$SESSION' : '$API_KEY'
      expect(/\$(SESSION|API_KEY)/.exec(line)?.[0], line).to.equal(header)
    }
  })

  it('sends bodies that their operations understand', async () => {
    const shop = await newShop()
    const buyer = await newBuyer(shop)
    const member = client({ bearer: (await signInMember(newEmail())).split('=')[1] ?? '' })
    const sent = [...examples].filter(([, line]) => line.includes(" -d '"))
    expect(sent.length).to.be.greaterThan(10)
    for (const [id, line] of sent) {
      const [, method = 'POST', path = ''] = /-X (\w+) "https?:\/\/[^/]+([^"]+)"/.exec(line) ?? []
      const raw = / -d '(.*)'/.exec(line)?.[1] ?? ''
      const caller = line.includes('$API_KEY') ? shop.api : id.startsWith('set_active') ? member : buyer
      const { status, body } = await caller.send(method, path.replace(/\$\w+/g, absent), undefined, { raw })
      // A made-up magic token is understood, and refused as such.
      if (body?.['code'] !== 'DPP_MAGIC_TOKEN_INVALID') expect(status, `${id}: ${raw}`).not.to.be.oneOf([400, 415, 422])
    }
  })

  it('takes streams as they come and images into a file', () => {
    const streams = [...examples].filter(([id]) => id.startsWith('follow_'))
    expect(streams).to.have.lengthOf(4)
    for (const [, line] of streams) expect(line).to.contain('-N').and.to.contain('Accept: text/event-stream')
    expect(examples.get('get_dpp_passport_qr_code_v1')).to.contain('-o answer.png')
  })

  it('names the schema of each body', async () => {
    const { text } = await client(platform.apiKey).get('/docs')
    const part = text.slice(text.indexOf('id="create_dpp_product_v1"'))
    expect(part.slice(0, part.indexOf('</details>'))).to.contain('<a href="#schema-NewSheet">NewSheet</a>')
  })
})
