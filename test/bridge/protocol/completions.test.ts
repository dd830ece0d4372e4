import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { expect } from 'chai'
import {
  startBareSession,
  connectClient,
  catchError,
  parseMessages,
  postJsonRpc,
} from '../../support/bridge/bridge-client.ts'
import { createApiClient as rest } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'
import { buildKey, buildOrganization, type Tenant } from '../../support/world.ts'

const prompt = { type: 'ref/prompt', name: 'prepare_demo_environment' } as const
const template = { type: 'ref/resource', uri: '' } as { type: 'ref/resource'; uri: string }

describe('completion/complete: completions', () => {
  let tenant: Tenant
  let client: Client
  const ids: string[] = []

  before(async () => {
    template.uri = `${platform.api}/v1/applications/{appId}`
    tenant = await buildOrganization()
    for (let number = 0; number < 23; number++) {
      const { body } = await rest(tenant.key).post('/v1/applications', {
        name: `Kiosk ${String(number).padStart(2, '0')}`,
      })
      ids.push(String(body['id']))
    }
    client = await connectClient(platform.bridge, { 'x-api-key': tenant.key })
  })
  after(() => client.close())

  const complete = async (ref: typeof prompt | typeof template, name: string, value: string, by = client) =>
    (await by.complete({ ref, argument: { name, value } })).completion

  for (const [what, ref, argument] of [
    ["the prompt's applicationId", prompt, 'applicationId'],
    ['appId of a resource template', template, 'appId'],
  ] as const) {
    it(`completes ${what} to at most 20 ids by part of the name, with the total`, async () => {
      const found = await complete(ref, argument, 'KIOSK')
      expect(found.values).to.deep.equal(ids.slice(0, 20))
      expect(found).to.include({ total: 23, hasMore: true })
      expect(await complete(ref, argument, 'kiosk 07')).to.deep.equal({ values: [ids[7]], total: 1, hasMore: false })
    })
  }

  it('begin with the id that was typed', async () => {
    const { body } = await rest(tenant.key).post('/v1/applications', { name: `Aisle of ${ids[5]}` })
    const { values } = await complete(prompt, 'applicationId', String(ids[5]).toUpperCase())
    expect(values).to.deep.equal([ids[5], body['id']])
  })

  it('completes an empty value to the first ids of all', async () => {
    expect((await complete(template, 'appId', '')).values).to.have.length(20)
    expect(await complete(template, 'appId', 'no such shop')).to.deep.equal({ values: [], total: 0, hasMore: false })
  })

  it("are the caller's own only", async () => {
    const other = await buildOrganization()
    const theirs = await connectClient(platform.bridge, { 'x-api-key': other.key })
    expect(await complete(prompt, 'applicationId', '', theirs)).to.deep.equal({
      values: [other.application],
      total: 1,
      hasMore: false,
    })
    expect((await complete(prompt, 'applicationId', String(ids[0]), theirs)).values).to.deep.equal([])
    await theirs.close()
  })

  it('are empty for arguments without any, and an error for what does not exist', async () => {
    expect(await complete(prompt, 'size', '1')).to.deep.equal({ values: [], total: 0, hasMore: false })
    expect((await catchError(complete(prompt, 'appId', ''))).code).to.equal(-32602)
    expect((await catchError(complete(template, 'id', ''))).code).to.equal(-32602)
    expect(
      (
        await catchError(
          client.complete({ ref: { ...prompt, name: 'nothing' }, argument: { name: 'applicationId', value: '' } }),
        )
      ).code,
    ).to.equal(-32602)
    expect(
      (
        await catchError(
          client.complete({ ref: { ...template, uri: '/nothing/{appId}' }, argument: { name: 'appId', value: '' } }),
        )
      ).code,
    ).to.equal(-32602)
  })

  it('answers a malformed request with an error that says what is wrong', async () => {
    const { headers } = await startBareSession(platform.bridge, '2025-11-25', { 'x-api-key': tenant.key })
    for (const params of [
      {},
      { ref: prompt },
      { ref: { type: 'ref/else' }, argument: { name: 'appId', value: '' } },
      { ref: prompt, argument: { name: 'applicationId', value: 1 } },
    ]) {
      const answer = await postJsonRpc(
        platform.bridge,
        { jsonrpc: '2.0', id: 1, method: 'completion/complete', params },
        headers,
      )
      expect(parseMessages(answer)[0], JSON.stringify(params)).to.have.nested.property('error.code', -32602)
    }
  })

  it('refuses a caller who may not read applications, with the problem', async () => {
    const { key } = await buildKey(tenant.organization, { dpp: ['read'] })
    const limited = await connectClient(platform.bridge, { 'x-api-key': key })
    const { code, message, data } = await catchError(complete(prompt, 'applicationId', '', limited))
    expect(code).to.equal(-32010)
    expect(message).to.contain('403 AUTH_INSUFFICIENT_PERMISSIONS')
    expect(data).to.include({ status: 403 })
    await limited.close()
  })
})
