import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { connectDatabase } from '../../../../core/database/connection.ts'
import type { ImportJob, Mapper } from '../../../../core/features/imports/index.ts'
import { createApiClient, type Client } from '../../../support/client.ts'
import { startPlatform, type OwnPlatform } from '../../../support/own-platform.ts'
import { createAuthority, createCertificate, startSecureServer } from '../../../support/network/tls.ts'
import { getBody } from '../../dpp/passports/fixtures.ts'

/** Names of servers. All are on this machine; `hidden` is not allowed to be, `wrong` has no certificate, `silent` never speaks. */
export const hosts = {
  good: 'good.example',
  other: 'other.example',
  hidden: 'hidden.example',
  wrong: 'wrong.example',
  closed: 'closed.example',
  silent: 'silent.example',
}

export type Route = (request: IncomingMessage, response: ServerResponse) => void

/** A platform that fetches from servers of the test. */
export interface TestSources {
  own: OwnPlatform
  api: Client
  db: ReturnType<typeof connectDatabase>
  /** Every request that came, as `host/path`. */
  recordedRequests: { at: string; headers: IncomingMessage['headers'] }[]
  /** What answers under a path, on every host. */
  routes: Record<string, Route>
  make(url: string, more?: object): Promise<Mapper>
  run(mapper: string): Promise<ImportJob>
  ended(job: string): Promise<ImportJob>
  stop(): Promise<void>
}

export const sourceRows = [
  { destination: 'reference', kind: 'field', source: 'ref', required: true },
  { destination: 'product.idGranularity', kind: 'constant', value: 'item' },
  { destination: 'product.name', kind: 'field', source: 'name' },
  { destination: 'product.itemNumber', kind: 'field', source: 'ref' },
]

export const createRoute =
  (body: string | Buffer, headers: Record<string, string> = {}, status = 200): Route =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'text/csv', ...headers }).end(body)

let made = 0

export async function startTestSources(): Promise<TestSources> {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-tls-'))
  const recordedRequests: TestSources['recordedRequests'] = []
  const routes: Record<string, Route> = {}
  const ca = await createAuthority()
  writeFileSync(join(folder, 'ca.pem'), ca.cert)
  const server = await startSecureServer(
    await createCertificate(ca, [hosts.good, hosts.other, hosts.hidden]),
    (request, response) => {
      recordedRequests.push({ at: `${request.headers.host}${request.url}`, headers: request.headers })
      const route = routes[request.url ?? '']
      if (route) route(request, response)
      else response.writeHead(404).end()
    },
  )
  const silent = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const ports = { closed: 1, silent: (silent.address() as AddressInfo).port } as Record<string, number>
  const { hidden: _hidden, ...allowed } = hosts
  const own = await startPlatform({
    env: {
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
      OUTBOUND_ALLOW: Object.values(allowed).join(),
      OUTBOUND_RESOLVE: Object.entries(hosts)
        .map(([name, host]) => `${host}=127.0.0.1:${ports[name] ?? server.port}`)
        .join(),
    },
  })
  const api = createApiClient(own.apiKey, own.api)
  const db = connectDatabase({ url: own.database, name: 'test', hasShortTimeouts: false })
  const ended = async (job: string) => {
    for (const deadline = Date.now() + 60_000; ;) {
      const found = getBody<ImportJob>(await api.get(`/v1/imports/${job}`))
      if (found.status !== 'pending') return found
      if (Date.now() > deadline) throw new Error(`import ${job} is still pending`)
      await sleep(25)
    }
  }
  return {
    own,
    api,
    db,
    recordedRequests,
    routes,
    ended,
    async make(url, more = {}) {
      const answer = await api.post('/v1/import/mappers', {
        application: own.application,
        name: `Source ${++made}`,
        type: 'url',
        format: 'csv',
        url,
        rows: sourceRows,
        ...more,
      })
      expect(answer.status, answer.text).to.equal(201)
      return getBody<Mapper>(answer)
    },
    async run(mapper) {
      const answer = await api.post(`/v1/import/mappers/${mapper}/run`)
      expect(answer.status, answer.text).to.equal(202)
      return ended(String(answer.body.jobId))
    },
    async stop() {
      await db.destroy()
      await own.stop()
      await server.stop()
      silent.close()
      rmSync(folder, { recursive: true })
    },
  }
}
