import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Knex } from 'knex'
import type { Caller } from '../../../../core/kernel/caller.ts'
import { declareOperation } from '../../../../core/kernel/operation.ts'
import { createProblem } from '../../../../core/kernel/problem.ts'
import { object, string } from '../../../../core/kernel/schema.ts'
import type { Work } from '../../../../core/kernel/work.ts'
import { createApiClient } from '../../../support/client.ts'
import { getOperator } from '../../identity/people.ts'
import { serveApi, type Api } from '../../queue/api.ts'

const caller: Caller = {
  kind: 'key',
  application: null,
  id: 'k',
  organization: '018f3f6e-7b1a-7c3d-9e2f-0123456789ab',
  permissions: { dpp: ['create'] },
}

/** What happened, in its order. */
let seen: string[] = []
/** The request that made the last change. */
let changedBy: string

const base = {
  method: 'POST',
  access: 'dpp:create',
  body: object({ text: string('Any text.') }),
  returns: { 201: object({ text: string('Any text.') }) },
  document: { tag: 'Tests', summary: 'Change' },
} as const

/** Does something after its commit, and fails if the text says so. */
function change({ trx, afterCommit, requestId }: Work, text: string) {
  const isOver = () => !trx.isTransaction || (trx as Knex.Transaction).isCompleted()
  for (const name of ['first', 'second'])
    afterCommit(() => seen.push(`${name} ${isOver() ? 'after' : 'before'} the commit`))
  seen.push('change')
  changedBy = requestId
  if (text === 'fails') throw createProblem('APPLICATION_SLUG_TAKEN', 'Taken.')
  return { text }
}

const operations = [
  declareOperation({ ...base, id: 'change_v1', path: '/v1/change' }).withTransactionHandler(
    async ({ work, body: { text } }) => change(work, text),
  ),
  declareOperation({
    ...base,
    id: 'change_single_v1',
    path: '/v1/change-single',
    execution: { isSingleStatement: true },
  }).withTransactionHandler(async ({ work, body: { text } }) => change(work, text)),
  declareOperation({ ...base, id: 'change_outside_v1', path: '/v1/change-outside' }).withOutboundHandler(
    async ({ finish, body: { text } }) => finish(async (work) => change(work, text)),
  ),
]

describe('Changes of operations', () => {
  let api: Api
  before(async () => {
    api = await serveApi(await getOperator(), operations)
  })
  after(() => api.stop())

  const send = async (path: string, text: string) => {
    seen = []
    const { status } = await createApiClient({}, api.url).post(path, { text }, { headers: api.as(caller) })
    return [status, ...seen]
  }

  for (const { path } of operations.map(({ declaration }) => declaration))
    it(`are made once for an Idempotency-Key that is sent twice: POST ${path}`, async () => {
      seen = []
      const headers = { ...api.as(caller), 'idempotency-key': randomUUID() }
      const send = () => createApiClient({}, api.url).post(path, { text: 'once' }, { headers })
      const [first, second] = [await send(), await send()]
      expect([first.status, second.status, second.headers['idempotency-replayed']]).to.deep.equal([201, 201, 'true'])
      expect(seen).to.deep.equal(['change', 'first after the commit', 'second after the commit'])
    })

  it('know the request that makes them', async () => {
    const headers = { ...api.as(caller), 'x-request-id': 'my-request' }
    await createApiClient({}, api.url).post('/v1/change', { text: 'works' }, { headers })
    expect(changedBy).to.equal('my-request')
  })

  for (const { path } of operations.map(({ declaration }) => declaration))
    it(`are followed by what waits for their commit, in its order, and by nothing if they fail: POST ${path}`, async () => {
      expect(await send(path, 'works')).to.deep.equal([
        201,
        'change',
        'first after the commit',
        'second after the commit',
      ])
      expect(await send(path, 'fails')).to.deep.equal([409, 'change'])
    })
})
