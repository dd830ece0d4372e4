import { expect } from 'chai'
import { createApiClient, type Json } from '../../support/client.ts'
import { buildBuyer, buildShop } from '../../support/world.ts'
import { createEmail, signInMember } from '../../core/identity/people.ts'

/** An identifier that nothing has. */
const absent = '00000000-0000-4000-8000-000000000000'

describe('Examples of GET /docs', () => {
  it('are bodies that their operations understand', async () => {
    const { body: contract } = await createApiClient().get('/openapi.json')
    const shop = await buildShop()
    const buyer = await buildBuyer(shop)
    const member = createApiClient({ bearer: (await signInMember(createEmail())).split('=')[1] ?? '' })
    const operations = Object.entries(
      (contract['paths'] ?? {}) as unknown as Record<string, Record<string, Json>>,
    ).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })))
    let sent = 0
    for (const { path, method, operation } of operations) {
      const request = operation['requestBody'] as Json | undefined
      const [name] = Object.keys(
        (request?.['required'] && request['content']?.['application/json']?.['examples']) || {},
      )
      if (name === undefined) continue
      sent++
      const id = String(operation['operationId'])
      const access = String(operation['x-access'])
      const person = id.startsWith('set_active') ? member : buyer
      const caller = ['endUser', 'member', 'session'].includes(access) ? person : shop.api
      const query = ((operation['parameters'] ?? []) as Json[])
        .filter((parameter) => parameter['in'] === 'query' && parameter['required'])
        .map((parameter) => `${parameter['name']}=${parameter['schema']?.['enum']?.[0] ?? absent}`)
      const address = `${path.replace(/\{\w+\}/g, absent)}${query.length > 0 ? `?${query.join('&')}` : ''}`
      const example = contract['components']?.['examples']?.[name]?.['value']
      const { status, body } = await caller.send(method.toUpperCase(), address, example)
      // A made-up magic token is understood, and refused as such; a made-up certificate is none.
      if (body?.['code'] !== 'DPP_MAGIC_TOKEN_INVALID' && id !== 'set_wallet_credentials_v1')
        expect(status, `${id}: ${JSON.stringify(example)}`).not.to.be.oneOf([400, 415, 422])
    }
    expect(sent).to.be.greaterThan(10)
  })
})
