import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { pino } from 'pino'
import { declareOperation } from '../../../../core/kernel/operation.ts'
import { createNotFoundProblem } from '../../../../core/kernel/problem.ts'
import { object } from '../../../../core/kernel/schema.ts'
import { createApiClient } from '../../../support/client.ts'
import { getOperator } from '../../identity/people.ts'
import { serveApi, type Api } from '../../queue/api.ts'

const reading = declareOperation({
  id: 'read_thing_v1',
  method: 'GET',
  path: '/v1/things/:id',
  access: 'public',
  query: {},
  returns: { 200: object({}) },
  document: { tag: 'Tests', summary: 'Read' },
}).withReadHandler(async ({ params: { id } }) => {
  if (id === missing) throw createNotFoundProblem()
  return {}
})
const missing = randomUUID()

describe('Log of requests', () => {
  let api: Api
  let lines: Record<string, unknown>[]
  before(async () => {
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) })
    api = await serveApi({ ...(await getOperator()), log }, [reading])
  })
  after(() => api.stop())
  beforeEach(() => {
    lines = []
  })

  it('has a line for each, with its operation, or with its path where no route has it', async () => {
    for (const path of [`/v1/things/${randomUUID()}`, `/v1/things/${missing}`, '/v1/thingz'])
      await createApiClient({}, api.url).get(path, { skipsDocumentCheck: true })
    const answered = lines.filter(({ msg }) => msg === 'request')
    expect(answered.map(({ method, operation, status, path }) => [method, operation, status, path])).to.deep.equal([
      ['GET', 'read_thing_v1', 200, undefined],
      ['GET', 'read_thing_v1', 404, undefined],
      ['GET', '', 404, '/v1/thingz'],
    ])
  })
})
