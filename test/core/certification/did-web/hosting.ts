import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnTied } from '../../../../core/embedded/tied-process.ts'
import { createApiClient, type Client } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import { expect } from 'chai'
import type { Shop } from '../../../support/world.ts'
import { createAuthority, createCertificate, startSecureServer } from '../../../support/network/tls.ts'
import { createTestEnvironment } from '../../../support/environment.ts'
import { startSecondServer } from '../../../support/network/second-server.ts'
import { readPlatformSecret } from '../keys/keys.ts'

/** A host that serves pages over TLS, and an API process that finds and trusts it. */
export interface TestHosting {
  api: Client
  /** Address of that process. */
  base: string
  /** Paths that were asked for. */
  requestedPaths: string[]
  /** Publishes a page; an object goes as JSON. */
  put(path: string, value: unknown, type?: string): void
  /** Leads from a path to another address. */
  redirect(path: string, location: string): void
  remove(path: string): void
  /** Forgets all pages, and who asked. */
  clear(): void
  /** One turn of the upkeep of domains, in a process that finds and trusts it. */
  upkeep(): Promise<void>
  stop(): Promise<void>
}

/** @param host which guarded fetches may ask, or several. @param closed names of the same address that they may not */
export async function startHosting(
  host: string | readonly string[],
  closed: readonly string[] = [],
): Promise<TestHosting> {
  const hosts = [host].flat()
  const pages = new Map<string, { type: string; body: string | Buffer; location?: string }>()
  const requestedPaths: string[] = []
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-hosting-'))
  const ca = await createAuthority()
  writeFileSync(join(folder, 'ca.pem'), ca.cert)
  const names = [...hosts, ...closed]
  const hosting = await startSecureServer(await createCertificate(ca, names), ({ url = '' }, response) => {
    requestedPaths.push(url)
    const page = pages.get(url)
    const headers = {
      'content-type': page?.type ?? 'application/json',
      ...(page?.location && { location: page.location }),
    }
    response.writeHead(page?.location ? 302 : page ? 200 : 404, headers).end(page?.body ?? '')
  })
  const env = {
    BASE_URL: platform.api,
    NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
    OUTBOUND_ALLOW: hosts.join(),
    OUTBOUND_RESOLVE: names.map((name) => `${name}=127.0.0.1:${hosting.port}`).join(),
    KEY_ENCRYPTION_KEY: readPlatformSecret(),
  }
  const second = await startSecondServer(platform, env)
  let keeping: ChildProcess | undefined
  return {
    api: createApiClient({}, second.api),
    base: second.api,
    requestedPaths,
    put: (path, value, type = 'application/json') =>
      void pages.set(path, {
        type,
        body: typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value),
      }),
    redirect: (path, location) => void pages.set(path, { type: 'text/plain', body: '', location }),
    remove: (path) => void pages.delete(path),
    clear() {
      requestedPaths.length = 0
      pages.clear()
    },
    async upkeep() {
      keeping ??= startUpkeep(env)
      await takeTurn(keeping)
    },
    async stop() {
      second.kill()
      keeping?.kill('SIGKILL')
      await second.ended
      await hosting.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

/** A process that takes turns of the upkeep. Starting one for each turn would take longer than all that it does. */
function startUpkeep(env: NodeJS.ProcessEnv): ChildProcess {
  const { database, redis, dataDir } = platform
  const entry = join(import.meta.dirname, '../../../support/children/check-domains.ts')
  return spawnTied(
    [process.execPath, entry],
    { signal: 'SIGKILL' },
    {
      env: createTestEnvironment({
        DATABASE_URL: database,
        REDIS_URL: redis,
        DATA_DIR: dataDir,
        SESSION_SECRET: 'a secret of tests only',
        ...env,
      }),
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  )
}

async function takeTurn(upkeep: ChildProcess): Promise<void> {
  const over = new AbortController()
  const upkeepFault = once(upkeep, 'message', over).then(([{ fault }]) => fault as string | null)
  const ended = once(upkeep, 'exit', over).then(() => 'its process ended')
  upkeep.send('turn')
  try {
    const fault = await Promise.race([upkeepFault, ended])
    if (fault !== null) throw new Error(`The upkeep of domains failed: ${fault}`)
  } finally {
    over.abort()
    await Promise.allSettled([upkeepFault, ended])
  }
}

/** Sets a domain, publishes its document and has it checked: the shop signs under it. */
export async function proveDomain(shop: Shop, hosting: TestHosting, domain: string): Promise<void> {
  const path = '/v1/dpp/certification-key/did-web-config'
  const set = await shop.api.put(path, { domain })
  expect(set.status, set.text).to.equal(200)
  hosting.put('/.well-known/did.json', set.body['didDocument'])
  const checked = await hosting.api.post(`${path}/verify`, undefined, { headers: { 'x-api-key': shop.key } })
  expect(checked.body, checked.text).to.include({ status: 'ok' })
}
