import { expect } from 'chai'
import { problemCodes, type ProblemCode } from '../../core/kernel/problem-codes.ts'
import type { Answer } from '../support/client.ts'
import { platform } from '../support/platform.ts'
import { getAllowedClient, provocations, createAttackers, type Attack, type Attackers } from './attacks.ts'
import { createStage } from './tenants.ts'
import { createOperationPath, documentOperations, type DocumentOperation } from './operations.ts'

/** The codes that an operation declares and that its shape alone brings: those that can be provoked without knowing it. */
const codesOfShape = ({ codes: declared, access, body, path }: DocumentOperation): ProblemCode[] =>
  ([...declared] as ProblemCode[]).filter(
    (code) =>
      Object.hasOwn(provocations, code)
      && (access !== 'public' || code !== 'AUTH_INSUFFICIENT_PERMISSIONS')
      && (body !== null || code !== 'VALIDATION_FAILED')
      && (path.includes('{') || code !== 'NOT_FOUND'),
  )

/** Operations whose specification says 400 for an invalid body, whatever is wrong with it. */
const only400 =
  /^(create|update|preview)_import_mapper_v1$|^suggest_import_mapping_v1$|^update_organization_v1$|_loyalty_campaign(_audience)?_v1$/

/** What is wrong with a refusal: its code, the path it blames, or the form of problem details. */
function listAttackFaults(
  { what, path, at }: Attack,
  code: ProblemCode,
  { status, headers, body, text }: Answer,
): string[] {
  const wrong = (said: string) => [`${what}: ${said}`]
  if (status !== problemCodes[code].status || body?.['code'] !== code)
    return wrong(`${status} ${body?.['code'] ?? text.slice(0, 200)}`)
  const instance = path.split('?')[0]
  const formed =
    String(headers['content-type']).startsWith('application/problem+json')
    && body['status'] === status
    && body['instance'] === instance
    && body['type'] === `${platform.api}/problems/${code}`
    && body['requestId'] === headers['x-request-id']
    && typeof body['detail'] === 'string'
  if (!formed) return wrong(`no problem details: ${text.slice(0, 300)}`)
  if (/\bat .*\.ts:\d+|select .* from|node_modules/.test(text)) return wrong(`says too much: ${text}`)
  const errors = (body['errors'] ?? []) as { path: string }[]
  return at === undefined || errors.some((one) => one.path === at)
    ? []
    : wrong(`blames ${errors.map((one) => one.path).join(', ') || 'nothing'}, not ${at}`)
}

describe('Malformed and abusive requests to every operation', function () {
  this.timeout(240_000)
  let attackers: Attackers
  let provoked = 0
  before(async () => {
    attackers = await createAttackers(await createStage())
  })

  for (const operation of documentOperations) {
    it(`answers each declared code as problem details: ${operation.id}`, async () => {
      const wrong: string[] = []
      for (const code of codesOfShape(operation)) {
        const attacks = (await provocations[code]?.(operation, attackers)) ?? []
        if (attacks.every(({ instead }) => instead !== undefined)) wrong.push(`${code} is not provoked`)
        provoked++
        for (const attack of attacks) {
          const { as, path, body, options } = attack
          wrong.push(
            ...listAttackFaults(
              attack,
              attack.instead ?? code,
              await as.send(operation.method, path, body, options),
            ).map((said) => `${code}, ${said}`),
          )
        }
      }
      expect(wrong).to.deep.equal([])
    })
  }

  for (const operation of documentOperations.filter(({ statuses }) => statuses.includes(304))) {
    it(`answers 304 to a matching ETag and 200 to another one: ${operation.id}`, async () => {
      const path = createOperationPath(operation, attackers.stage.ids(operation.path))
      const ask = (method: string, headers: Record<string, string>) =>
        getAllowedClient(operation, attackers).send(method, path, undefined, { headers })
      const etag = String((await ask('GET', {})).headers['etag'])
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        for (const method of ['GET', 'HEAD']) {
          const { status, bytes, headers } = await ask(method, { 'if-none-match': known })
          expect([status, bytes.length, headers['etag'], headers['content-type']], `${method} ${known}`).to.deep.equal([
            304,
            0,
            etag,
            undefined,
          ])
        }
      }
      expect((await ask('GET', { 'if-none-match': '"other"' })).status).to.equal(200)
    })
  }

  for (const operation of documentOperations.filter(({ statuses, isStream }) => isStream && statuses.includes(204))) {
    it(`answers 204 to a reader who has seen the end of the stream: ${operation.id}`, async () => {
      const path = createOperationPath(operation, attackers.stage.ids(operation.path))
      const as = operation.access === 'endUser' ? attackers.stage.claimer : attackers.key
      const whole = await as.get(path, { headers: { accept: 'text/event-stream' } })
      const last = [...whole.text.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1]
      const again = await as.get(path, { headers: { accept: 'text/event-stream', 'last-event-id': String(last) } })
      expect([whole.status, again.status, again.bytes.length]).to.deep.equal([200, 204, 0])
    })
  }

  it('has provoked what every shape brings: of no operation nothing', () => {
    expect(provoked).to.equal(documentOperations.reduce((sum, operation) => sum + codesOfShape(operation).length, 0))
    expect(provoked).to.be.greaterThan(documentOperations.length * 5)
    for (const operation of documentOperations) {
      const shape = codesOfShape(operation)
      expect(shape, operation.id).to.include.members([
        'INVALID_REQUEST',
        'AUTH_UNAUTHENTICATED',
        'AUTH_INVALID_API_KEY',
      ])
      if (operation.body) {
        expect(shape, operation.id).to.include.members(['INVALID_JSON', 'UNSUPPORTED_MEDIA_TYPE'])
        expect(shape.includes('VALIDATION_FAILED'), operation.id).to.equal(!only400.test(operation.id))
      }
      if (operation.hasList)
        expect(shape, operation.id).to.include.members(['INVALID_FILTER', 'INVALID_SORTER', 'INVALID_PAGINATION'])
    }
  })

  it('has left the prototypes of this platform as they were', async () => {
    const { body } = await attackers.key.get(`/v1/applications/${attackers.stage.shop.application}`)
    expect(body).not.to.have.property('polluted')
    expect(JSON.stringify(body)).not.to.contain('polluted')
  })
})
