import { expect } from 'chai'
import type { Permission } from '../../core/kernel/permission.ts'
import { actions, hasPermission, resources } from '../../core/kernel/permission.ts'
import { keepFigures } from '../figures/keep-figures.ts'
import { createApiClient, type Answer, type Client } from '../support/client.ts'
import type { Attacker } from './cast.ts'
import { createStage, type Stage } from './tenants.ts'
import {
  absentId,
  needsPermission,
  createMinimalBody,
  isWriteOperation,
  createOperationPath,
  documentOperations,
  type DocumentOperation,
} from './operations.ts'

type Expected =
  | 'let in'
  | '401 AUTH_UNAUTHENTICATED'
  | '401 AUTH_INVALID_API_KEY'
  | '403 AUTH_INSUFFICIENT_PERMISSIONS'
  | '403 AUTH_MISSING_ORG_ID'

/** What the document's `x-access` means for somebody: the rule of the specification, said once. */
function expected(
  { access, isWithinApplication }: DocumentOperation,
  { kind, permissions, foreign, hasNoOrganization, application }: Attacker,
): Expected {
  if (kind === 'invalid') return '401 AUTH_INVALID_API_KEY'
  if (access === 'public') return 'let in'
  if (kind === 'anonymous') return '401 AUTH_UNAUTHENTICATED'
  if (application !== undefined && !isWithinApplication) return '403 AUTH_INSUFFICIENT_PERMISSIONS'
  if (access === 'signedIn') return hasNoOrganization ? '403 AUTH_MISSING_ORG_ID' : 'let in'
  if (access === 'keyOrMember') return kind === 'endUser' ? '403 AUTH_INSUFFICIENT_PERMISSIONS' : 'let in'
  if (access === 'session') return kind === 'key' ? '403 AUTH_INSUFFICIENT_PERMISSIONS' : 'let in'
  if (access === 'endUser' || access === 'member')
    return kind === access ? 'let in' : '403 AUTH_INSUFFICIENT_PERMISSIONS'
  if (kind === 'endUser') return '403 AUTH_INSUFFICIENT_PERMISSIONS'
  if (hasNoOrganization) return '403 AUTH_MISSING_ORG_ID'
  return foreign || access.split(' or ').some((one) => hasPermission(permissions ?? {}, one as Permission))
    ? 'let in'
    : '403 AUTH_INSUFFICIENT_PERMISSIONS'
}

/**
 * Whether a caller has some of the permissions that the rule names, and not all: what the request is about decides then,
 * which `test/core/loyalty/assignments/imports.test.ts` holds for imports.
 */
function hasSomePermissions({ access }: DocumentOperation, { permissions }: Attacker): boolean {
  const held = access.split(' or ').filter((one) => hasPermission(permissions ?? {}, one as Permission))
  return held.length > 0 && held.length < access.split(' or ').length
}

/** What the pipeline said of who called. A refusal by a rule behind it counts as let in. */
function seen({ status, body }: Answer, operation: DocumentOperation): Expected | string {
  const code = String(body?.['code'] ?? '')
  if (operation.id === 'get_session_v1' || operation.id === 'sign_out_v1')
    return code === 'AUTH_INVALID_API_KEY' ? `${status} ${code}` : 'let in'
  const gate = [
    'AUTH_UNAUTHENTICATED',
    'AUTH_INVALID_API_KEY',
    'AUTH_INSUFFICIENT_PERMISSIONS',
    'AUTH_MISSING_ORG_ID',
  ].includes(code)
  return gate ? `${status} ${code}` : 'let in'
}

/** What changes the sessions of the cast comes last: a new organization is the active one, and signing out ends all. */
function placeOf({ id }: DocumentOperation): number {
  if (id === 'sign_out_v1' || id === 'end_other_sessions_v1') return 2
  return id === 'create_organization_v1' ? 1 : 0
}

const headersOf = ({ isStream }: DocumentOperation) => (isStream ? { accept: 'text/event-stream' } : {})

describe('Access rules of every operation', function () {
  this.timeout(240_000)
  let stage: Stage
  const matrix = { pairs: resources.length * actions.length, operations: 0, credentials: 0, requests: 0, surprises: 0 }
  before(async () => {
    stage = await createStage()
    matrix.credentials = stage.cast.length
  })
  after(() => {
    console.log(
      `    ${Object.entries(matrix)
        .map(([what, count]) => `${count} ${what}`)
        .join(', ')}`,
    )
    if (process.env['FIGURES'])
      keepFigures('access/permissions', {
        command: 'FIGURES=1 npm test -- test/access/access-rules.test.ts',
        ...matrix,
      })
  })

  for (const operation of documentOperations.filter(
    (one) =>
      one.path.includes('{') && (needsPermission(one) || one.access === 'signedIn' || one.access === 'keyOrMember'),
  )) {
    it(`answers another organization as if nothing were there: ${operation.id}`, async () => {
      const foreign = stage.cast.find((one) => one.foreign)
      if (!foreign) throw new Error('Nobody is foreign')
      const ask = (path: string) =>
        foreign.api.send(operation.method, path, createMinimalBody(operation), { headers: headersOf(operation) })
      const [real, none] = [
        await ask(createOperationPath(operation, stage.ids(operation.path))),
        await ask(createOperationPath(operation)),
      ]
      const isForbidden = operation.codes.has('ORG_CROSS_ACCESS_DENIED')
      expect(real.status, real.text).to.equal(isForbidden ? 403 : 404)
      expect(comparable(real)).to.deep.equal(comparable(none))
    })
  }

  for (const operation of documentOperations.filter((one) => one.access === 'endUser' && one.path.includes('{'))) {
    it(`answers the buyer of another application as if nothing were there: ${operation.id}`, async () => {
      const neighbour = stage.cast.find((one) => one.kind === 'endUser')
      if (!neighbour) throw new Error('Nobody is of another application')
      const ask = (path: string) =>
        neighbour.api.send(operation.method, path, createMinimalBody(operation), { headers: headersOf(operation) })
      const [real, none] = [
        await ask(createOperationPath(operation, stage.ids(operation.path))),
        await ask(createOperationPath(operation)),
      ]
      expect(real.status, real.text).to.equal(404)
      expect(comparable(real)).to.deep.equal(comparable(none))
    })
  }

  for (const operation of [...documentOperations].sort((a, b) => placeOf(a) - placeOf(b))) {
    it(`admits ${operation.access} and nobody else: ${operation.id}`, async () => {
      const rows = await Promise.all(
        stage.cast.map(async (one) => {
          const answer = await one.api.send(
            operation.method,
            createOperationPath(operation),
            createMinimalBody(operation),
            {
              headers: headersOf(operation),
            },
          )
          return { who: one, answer, wanted: expected(operation, one), got: seen(answer, operation) }
        }),
      )
      const surprises = rows
        .filter(({ wanted, got }) => wanted !== got)
        .filter(({ who, got }) => got !== '403 AUTH_INSUFFICIENT_PERMISSIONS' || !hasSomePermissions(operation, who))
        .map(({ who, wanted, got }) => `${who.name}: ${got}, not ${wanted}`)
      matrix.operations++
      matrix.requests += rows.length
      matrix.surprises += surprises.length
      expect(surprises).to.deep.equal([])
      for (const { who, answer, got } of rows) if (who.application === undefined) checkRefusal(operation, answer, got)
      expect(rows.length).to.equal(65)
    })
  }

  for (const operation of documentOperations.filter(
    (one) => one.hasList && !isWriteOperation(one) && needsPermission(one),
  )) {
    it(`lists nothing of another organization, with filters or without: ${operation.id}`, async () => {
      const foreign = stage.cast.find((one) => one.foreign)
      if (!foreign) throw new Error('Nobody is foreign')
      const ids = async (api: Client, query = '') => {
        const path = createOperationPath(operation, stage.ids(operation.path))
        const { body } = await api.get(`${path}?pageSize=100${query}`)
        // Below what belongs to another organization there is no list. A summary names rows by rule.
        const summarized = (body['byRule'] ?? []) as unknown as { sample: { id: string }[] }[]
        const rows = (body['data'] ?? summarized.flatMap(({ sample }) => sample)) as unknown as { id: string }[]
        return rows.map(({ id }) => id)
      }
      const own = await ids(stage.shop.api)
      expect(own.length).to.be.greaterThan(0)
      const seen = [
        ...(await ids(foreign.api)),
        ...(await ids(foreign.api, `&filters[${operation.idFilter}][eq]=${own[0]}`)),
      ]
      expect(seen.filter((id) => own.includes(id))).to.deep.equal([])
    })
  }

  const applicationOperations = documentOperations.filter(({ isWithinApplication }) => isWithinApplication)
  const findKey = (application: 'own' | 'other'): Attacker => {
    const found = stage.cast.find((one) => one.application === application)
    if (!found) throw new Error(`There is no key of the ${application} application`)
    return found
  }

  for (const operation of applicationOperations.filter(
    ({ path, id }) => path.includes('{') && id !== 'get_organization_v1',
  )) {
    it(`answers the key of another application as if nothing were there: ${operation.id}`, async () => {
      const ask = (api: Client, path: string) =>
        api.send(operation.method, path, createMinimalBody(operation), { headers: headersOf(operation) })
      const path = createOperationPath(operation, stage.ids(operation.path))
      const real = await ask(findKey('other').api, path)
      // What everybody may read, the key reads as everybody does.
      const none =
        operation.access === 'public'
          ? await ask(createApiClient(), path)
          : await ask(findKey('other').api, createOperationPath(operation))
      const withoutCaching = ({ headers: { 'cache-control': _caching, ...headers }, ...rest }: Answer) =>
        comparable({ ...rest, headers })
      expect(withoutCaching(real)).to.deep.equal(withoutCaching(none))
      if (operation.access !== 'public') expect(real.status, real.text).to.equal(404)
    })
  }

  for (const operation of applicationOperations.filter(({ method, isStream }) => method === 'GET' && !isStream)) {
    it(`answers the key of the application as it does the key of its organization: ${operation.id}`, async () => {
      const path = createOperationPath(operation, stage.ids(operation.path))
      const [limited, whole] = [await findKey('own').api.get(path), await stage.shop.api.get(path)]
      expect(limited.status, limited.text).to.equal(whole.status)
      // Lists and metrics of the organization have what other applications have, too.
      if (whole.status === 200 && !operation.hasList && !operation.path.includes('/metrics/'))
        expect(limited.text).to.equal(whole.text)
    })
  }

  for (const operation of applicationOperations.filter(
    (one) => one.hasList && !isWriteOperation(one) && needsPermission(one),
  )) {
    it(`lists for the key of an application what belongs to it, with filters or without: ${operation.id}`, async () => {
      const path = createOperationPath(operation, stage.ids(operation.path))
      const ids = async (api: Client, query = '') => {
        const { body } = await api.get(`${path}?pageSize=100${query}`)
        const summarized = (body['byRule'] ?? []) as unknown as { sample: { id: string }[] }[]
        const rows = (body['data'] ?? summarized.flatMap(({ sample }) => sample)) as unknown as { id: string }[]
        return rows.map(({ id }) => id)
      }
      const own = await ids(findKey('own').api)
      expect(own.length).to.be.greaterThan(0)
      const other = findKey('other').api
      const anyOf = encodeURIComponent(
        JSON.stringify([
          {
            operator: 'or',
            value: own.slice(0, 5).map((id) => ({ field: operation.idFilter, operator: 'eq', value: id })),
          },
        ]),
      )
      const seen = [
        ...(await ids(other)),
        ...(await ids(other, `&filters[${operation.idFilter}][eq]=${own[0]}`)),
        ...(await ids(other, `&filters=${anyOf}`)),
      ]
      expect(seen.filter((id) => own.includes(id))).to.deep.equal([])
    })
  }

  it('has a row for every operation of the document', () => {
    expect(documentOperations.length).to.be.greaterThan(30)
    expect(documentOperations.filter(({ access }) => access === undefined).map(({ id }) => id)).to.deep.equal([])
    expect(absentId).to.match(/^0{8}-/)
  })
})

/** 401 names the scheme, 403 the missing pair. */
function checkRefusal(operation: DocumentOperation, { headers, body }: Answer, got: string): void {
  if (got.startsWith('401')) expect(headers['www-authenticate']).to.equal('Bearer')
  if (got !== '403 AUTH_INSUFFICIENT_PERMISSIONS' || !needsPermission(operation)) return
  const [first = ''] = operation.access.split(' or ')
  const [resource, action] = first.split(':')
  expect(body['permission']).to.deep.equal({ resource, action })
}

/** An answer without what may differ: which path was asked, and under which id. */
function comparable({ status, headers, body }: Answer) {
  const { instance: _path, requestId: _id, ...rest } = body as Record<string, unknown>
  const { date: _date, 'x-request-id': _request, 'content-length': _length, ...kept } = headers
  return { status, headers: kept, body: rest }
}
