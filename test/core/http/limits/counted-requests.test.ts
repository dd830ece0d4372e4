import { expect } from 'chai'
import { pino } from 'pino'
import { createRateLimits } from '../../../../core/http/limits/rate-limits.ts'
import type { Caller } from '../../../../core/kernel/caller.ts'
import { declareOperation } from '../../../../core/kernel/operation.ts'
import { object } from '../../../../core/kernel/schema.ts'
import { createApiClient } from '../../../support/client.ts'
import { getOperator } from '../../identity/people.ts'
import { serveApi, type Api } from '../../queue/api.ts'

const reading = declareOperation({
  id: 'read_v1',
  method: 'GET',
  path: '/v1/read',
  access: 'dpp:read',
  returns: { 200: object({}) },
  document: { tag: 'Tests', summary: 'Read' },
}).withReadHandler(async () => ({}))

describe('Rate limit: what is counted', () => {
  let api: Api
  before(async () => {
    const limits = await createRateLimits({ maxPerKey: 2, maxPerAddress: 2, log: pino({ level: 'silent' }) })
    api = await serveApi(await getOperator(), [reading], {}, { limits })
  })
  after(() => api.stop())

  const ask = async (caller: Caller) => {
    const { status, headers } = await createApiClient({}, api.url).get('/v1/read', {
      headers: api.as(caller),
      skipsDocumentCheck: true,
    })
    return [status, headers['ratelimit-policy'], String(headers['ratelimit']).replace(/;t=\d+$/, '')]
  }

  it('is each request with its answer, also one that is refused', async () => {
    const key = (permissions: object): Caller => ({
      kind: 'key',
      application: null,
      id: 'k',
      organization: 'o',
      permissions,
    })
    for (const [caller, status] of [
      [{ kind: 'anonymous' }, 401],
      [{ ...key({}), id: 'other' }, 403],
      [key({ dpp: ['read'] }), 200],
    ] as [Caller, number][]) {
      const answers = [await ask(caller), await ask(caller), await ask(caller)]
      expect(answers).to.deep.equal(
        [
          [status, '"default";r=1'],
          [status, '"default";r=0'],
          [429, '"default";r=0'],
        ].map(([expected, left]) => [expected, '"default";q=2;w=60', left]),
      )
    }
  })
})
