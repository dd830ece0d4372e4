import { expect } from 'chai'
import type { Caller } from '../../../../core/kernel/caller.ts'
import { declareOperation } from '../../../../core/kernel/operation.ts'
import { createValidationProblem, createProblem } from '../../../../core/kernel/problem.ts'
import { object, optional, string, integer } from '../../../../core/kernel/schema.ts'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { getOperator } from '../../identity/people.ts'
import { serveApi, type Api } from '../../queue/api.ts'

const caller: Caller = {
  kind: 'key',
  application: null,
  id: 'k',
  organization: '018f3f6e-7b1a-7c3d-9e2f-0123456789ab',
  permissions: { dpp: ['create'] },
}
const body = object({ name: string('Any text.', { maxLength: 5 }), size: optional(integer('A whole number.')) })

const strict = declareOperation({
  id: 'strict_v1',
  method: 'POST',
  path: '/v1/strict',
  access: 'dpp:create',
  body,
  returns: { 201: body },
  transport: { invalidBodyStatus: 400 },
  document: { tag: 'Tests', summary: 'Strict' },
}).withTransactionHandler(async ({ body: given }) => {
  if (given.name === 'rule') throw createValidationProblem([{ path: 'name', code: 'rule', message: 'breaks a rule' }])
  if (given.name === 'taken') throw createProblem('APPLICATION_SLUG_TAKEN', 'Taken.')
  return given
})

const lenient = declareOperation({
  id: 'lenient_v1',
  method: 'POST',
  path: '/v1/lenient',
  access: 'dpp:create',
  body: object({ name: optional(string('Any text.')) }, { default: {} }),
  returns: { 201: body },
  document: { tag: 'Tests', summary: 'Lenient' },
}).withTransactionHandler(async ({ body: given }) => ({ name: given.name ?? 'none' }))

describe('422 VALIDATION_FAILED: invalid bodies', () => {
  let api: Api
  before(async () => {
    api = await serveApi(await getOperator(), [strict, lenient])
  })
  after(() => api.stop())
  const post = (path: string, raw?: string) =>
    createApiClient({}, api.url).post(path, undefined, { headers: api.as(caller), ...(raw !== undefined && { raw }) })
  const seen = ({ status, body: said }: Answer) => [
    status,
    said['code'],
    (said['errors'] as unknown as { path: string }[] | undefined)?.map(({ path }) => path),
  ]

  it('is 400 for every cause where the operation says so, by its schema and by its rules', async () => {
    expect(seen(await post('/v1/strict', '{"name":"too long","size":"x","more":1}'))).to.deep.equal([
      400,
      'INVALID_REQUEST',
      ['more', 'name', 'size'],
    ])
    expect(seen(await post('/v1/strict', '{"name":"\\u0000"}'))).to.deep.equal([400, 'INVALID_REQUEST', ['name']])
    expect(seen(await post('/v1/strict', '{"name":"rule"}'))).to.deep.equal([400, 'INVALID_REQUEST', ['name']])
    expect(seen(await post('/v1/strict', '{"name":"taken"}')).slice(0, 2)).to.deep.equal([
      409,
      'APPLICATION_SLUG_TAKEN',
    ])
    expect((await post('/v1/strict', '{"name":"good"}')).status).to.equal(201)
  })

  it('is a single fault where the body is missing, whatever its schema requires', async () => {
    expect(seen(await post('/v1/strict'))).to.deep.equal([400, 'INVALID_JSON', ['body']])
  })

  it('is none where there may be no body: its standard value is taken', async () => {
    expect((await post('/v1/lenient')).body['name']).to.equal('none')
    expect((await post('/v1/lenient', '{"name":"given"}')).body['name']).to.equal('given')
    expect(seen(await post('/v1/lenient', '{"name":1}')).slice(0, 2)).to.deep.equal([422, 'VALIDATION_FAILED'])
    expect(seen(await post('/v1/strict')).slice(0, 2)).to.deep.equal([400, 'INVALID_JSON'])
  })
})
