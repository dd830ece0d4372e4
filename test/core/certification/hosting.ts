import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { client, type Client } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'
import { authority, certificateFor, serveSecurely } from '../../support/tls.ts'
import { startSecond } from '../http/second.ts'

/** A host that serves pages over TLS, and an API process that finds and trusts it. */
export interface Hosting {
  api: Client
  /** Paths that were asked for. */
  asked: string[]
  /** Publishes a page; an object goes as JSON. */
  put(path: string, value: unknown, type?: string): void
  remove(path: string): void
  /** Forgets all pages, and who asked. */
  clear(): void
  stop(): Promise<void>
}

/** @param host which guarded fetches may ask. @param closed names of the same address that they may not */
export async function startHosting(host: string, closed: readonly string[] = []): Promise<Hosting> {
  const pages = new Map<string, { type: string; body: string | Buffer }>()
  const asked: string[] = []
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-hosting-'))
  const ca = await authority()
  writeFileSync(join(folder, 'ca.pem'), ca.cert)
  const names = [host, ...closed]
  const hosting = await serveSecurely(await certificateFor(ca, names), ({ url = '' }, response) => {
    asked.push(url)
    const page = pages.get(url)
    response.writeHead(page ? 200 : 404, { 'content-type': page?.type ?? 'application/json' }).end(page?.body ?? '')
  })
  const second = await startSecond(platform, {
    BASE_URL: platform.api, NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'), OUTBOUND_ALLOW: host,
    OUTBOUND_RESOLVE: names.map((name) => `${name}=127.0.0.1:${hosting.port}`).join(),
  })
  return {
    api: client({}, second.api), asked,
    put: (path, value, type = 'application/json') =>
      void pages.set(path, { type, body: typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value) }),
    remove: (path) => void pages.delete(path),
    clear() {
      asked.length = 0
      pages.clear()
    },
    async stop() {
      second.kill()
      await second.ended
      await hosting.stop()
      rmSync(folder, { recursive: true })
    },
  }
}
