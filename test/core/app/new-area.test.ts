import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { request } from 'undici'
import { composeRegistry } from '../../../core/app/areas/compose.ts'
import { installWords } from '../../../core/app/areas/words.ts'
import { areas, registry } from '../../../core/app/registry.ts'
import { createOpenApiDocument } from '../../../core/http/openapi/openapi.ts'
import { hasPermission, rolePermissions, type PermissionMap } from '../../../core/kernel/permission.ts'
import { removeOldRows } from '../../../core/queue/upkeep/retention.ts'
import { startWorker, type Worker } from '../../../core/queue/worker.ts'
import { files, parseImports, readSource } from '../../house/source-files.ts'
import { parcels } from '../../support/parcels/area.ts'
import { createSender } from '../../support/parcels/sender.ts'
import { waitUntil } from '../../support/processes.ts'
import { serveApi, type Api } from '../queue/api.ts'
import { createQueueParts, type QueueParts } from '../queue/parts.ts'
import { hasJobEnded, useServers } from '../queue/servers.ts'

type Json = Record<string, unknown>

/** Lists the dotted paths at which two documents differ. */
function listDifferences(before: unknown, after: unknown, path = ''): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  const isObject = (value: unknown): value is Json =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject(before) || !isObject(after)) return [path]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => listDifferences(before[name], after[name], path === '' ? name : `${path} ${name}`))
}

const retentionDays = {
  jobRetentionDays: 1,
  importErrorRetentionDays: 1,
  attemptRetentionDays: 1,
  messageRetentionDays: 1,
  eventRetentionDays: 1,
}

describe('An area that is added to the registry', () => {
  const servers = useServers()
  const together = composeRegistry([...areas, parcels])
  let organization: string
  let application: string
  /** The parcel that the first test sends. */
  let parcel: string
  let parts: QueueParts
  let api: Api
  let worker: Worker

  before(async () => {
    installWords(together.words, together.operations)
    ;({ organization, application } = await createSender(servers().db))
    parts = createQueueParts(servers().database.url, undefined)
    api = await serveApi(parts.context, together.operations)
    worker = startWorker({ context: parts.context, jobs: together.jobs, types: together.words.jobTypes })
  })
  after(async () => {
    installWords(registry.words, registry.operations)
    await worker.stop()
    await api.stop()
    await parts.close()
  })

  const call = async (
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    permissions: PermissionMap,
    body?: Json,
    as = organization,
  ) => {
    const headers = api.as({ kind: 'key', application: null, id: 'k', organization: as, permissions })
    const answer = await request(`${api.url}${path}`, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.statusCode, body: (await answer.body.json()) as Json }
  }
  const send = (grams: number, permissions: PermissionMap, as?: string) =>
    call('POST', '/v1/parcels', permissions, { application, grams }, as)

  it('answers its operation, and its job runs', async () => {
    const sent = await send(500, { parcel: ['create'] })
    expect(sent.status, JSON.stringify(sent.body)).to.equal(202)
    const job = String(sent.body['jobId'])
    await waitUntil('the job ends', () => hasJobEnded(servers(), job))
    const seen = await call('GET', `/v1/jobs/${job}`, { parcel: ['read'] })
    expect(seen.body).to.include({ type: 'weigh', status: 'completed', completed: 1 })
    parcel = (seen.body['result'] as { parcel: string }).parcel
    const foreign = await call('GET', `/v1/jobs/${job}`, { dpp: ['read'] })
    expect(foreign.status).to.equal(404)
  })

  it('answers what it sent, to its own organization alone, and sends nothing for another one', async () => {
    const read = await call('GET', `/v1/parcels/${parcel}`, { parcel: ['read'] })
    expect(read.status, JSON.stringify(read.body)).to.equal(200)
    const { weighedAt, ...sent } = read.body
    expect(sent).to.deep.equal({ id: parcel, application, grams: 500 })
    expect(weighedAt).to.match(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/)
    const foreign = await call('GET', `/v1/parcels/${parcel}`, { parcel: ['read'] }, undefined, randomUUID())
    expect(foreign.status).to.equal(404)
    expect((await send(500, { parcel: ['create'] }, randomUUID())).status).to.equal(404)
  })

  it('has its permission checked, also by the role of a member', async () => {
    const refused = await send(500, { dpp: ['create'] })
    expect(refused.status).to.equal(403)
    expect(refused.body['permission']).to.deep.equal({ resource: 'parcel', action: 'create' })
    expect(hasPermission(rolePermissions.editor, 'parcel:create')).to.equal(true)
    expect(hasPermission(rolePermissions.viewer, 'parcel:create')).to.equal(false)
  })

  it('answers its code with its status and title', async () => {
    const refused = await send(31_000, { parcel: ['create'] })
    expect(refused.status).to.equal(409)
    expect(refused.body).to.include({ code: 'PARCEL_TOO_HEAVY', title: 'Too heavy' })
  })

  it('has its events listed by their subject', async () => {
    const filters = encodeURIComponent(JSON.stringify([{ field: 'subject', operator: 'eq', value: 'parcel' }]))
    const listed = await call('GET', `/v1/events?filters=${filters}`, { organization: ['read'] })
    expect(listed.status, JSON.stringify(listed.body)).to.equal(200)
    expect((listed.body['data'] as Json[]).map(({ subject, type }) => `${subject}/${type}`)).to.deep.equal([
      'parcel/create',
    ])
  })

  it('keeps an application from being deleted', async () => {
    const checks = []
    for (const prepareCheck of together.applicationBlockers) checks.push(await prepareCheck(servers().db, application))
    expect(await Promise.all(checks.map((isUsed) => isUsed()))).to.deep.equal([false, false, false, true])
  })

  it('has its rows removed after the days that it keeps them', async () => {
    const retention = new Map(together.listRetentions(retentionDays)).get('parcels')
    if (retention === undefined || typeof retention === 'string')
      throw new Error('the area says for how many days parcels are kept')
    const readAfter = async (days: number) => {
      await removeOldRows(servers().db, 'parcels', retention, new Date(Date.now() + days * 86_400_000))
      return (await call('GET', `/v1/parcels/${parcel}`, { parcel: ['read'] })).status
    }
    expect([await readAfter(29), await readAfter(31)]).to.deep.equal([200, 404])
  })

  it('adds to the document its own operations, tag and words, and changes nothing else', () => {
    const { paths, ...document } = createOpenApiDocument(together.operations, {
      version: '1.0.0',
      tags: together.tags,
      schemas: together.createDocumentSchemas(),
    })
    const { paths: committed, 'x-mcp-server': server, ...before } = JSON.parse(readSource('openapi.json')) as Json
    expect(server).to.have.property('guide')
    const changedPaths = listDifferences(committed, paths).filter((path) => !/\benum$/.test(path))
    expect(changedPaths).to.deep.equal(['/v1/events get description', '/v1/parcels', '/v1/parcels/{id}'])
    const changed = listDifferences(before, document)
    expect(changed.filter((path) => !/\benum$/.test(path)).sort()).to.deep.equal([
      'components examples NewParcel',
      'components examples PARCEL_TOO_HEAVY',
      'components examples Parcel',
      'components schemas NewParcel',
      'components schemas Parcel',
      'tags',
    ])
    expect(together.toolsets.map(({ name }) => name)).to.include('parcels')
  })

  it('is known to nothing but its own folder', () => {
    const known = files.filter((file) => /^(core|bridge|tools|prompts)\/.*\.ts$/.test(file))
    expect(known.filter((file) => /parcel/i.test(readSource(file)))).to.deep.equal([])
    const folder = 'test/support/parcels/'
    const needed = files.filter((file) => file.startsWith(folder)).flatMap(parseImports)
    const allowed = /^(knex|node:|core\/(kernel|database|features)\/)/
    expect(needed.filter(({ to }) => !to.startsWith(folder) && !allowed.test(to))).to.deep.equal([])
  })

  it('ends the start of a process if an operation names a word that no area declares', () => {
    const without = composeRegistry([...areas, { ...parcels, problemCodes: {}, jobs: [], permissions: {} }])
    expect(() => installWords(without.words, without.operations)).to.throw(
      'No area declares: PARCEL_TOO_HEAVY (send_parcel_v1), a job of type weigh (send_parcel_v1), '
        + 'a permission of parcel (send_parcel_v1), a permission of parcel (get_parcel_v1)',
    )
    installWords(together.words, together.operations)
  })

  it('ends the start of a process if two areas declare the same', () => {
    expect(() => composeRegistry([...areas, parcels, parcels])).to.throw('Two areas declare the area parcels')
    expect(() =>
      composeRegistry([...areas, parcels, { name: 'letters', problemCodes: parcels.problemCodes }]),
    ).to.throw('Two areas declare the problem code PARCEL_TOO_HEAVY')
  })
})
