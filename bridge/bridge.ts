import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connections } from './connections.ts'
import { DocumentSource } from './document.ts'
import { Endpoint } from './endpoint.ts'
import { ModernEra } from './eras/modern/modern-era.ts'
import { SessionEra } from './eras/session/session-era.ts'
import { Upstream } from './forward.ts'
import { Guard } from './guard.ts'
import type { Log } from './log.ts'
import { Methods } from './methods/methods.ts'
import type { Limits } from './sessions.ts'
import type { Settings } from './settings.ts'

export interface Bridge {
  readonly port: number
  /** Resolves when the API's document is loaded. */
  readonly ready: Promise<void>
  /** Looks for a new document now. */
  refresh(): Promise<void>
  /** Sessions that are kept now. */
  sessions(): number
  /** Stops taking requests, finishes those in hand within `patience` milliseconds, closes everything. */
  stop(patience?: number): Promise<void>
}

/** Listens at once; answers 503 until the API's document is there. Rejects when the port is taken. */
export async function startBridge(settings: Settings, log: Log, limits?: Limits): Promise<Bridge> {
  const upstream = new Upstream(settings.apiUrl)
  const source = new DocumentSource(upstream, settings.apiUrl, log)
  const methods = new Methods(upstream, () => source.catalogue, log)
  const era = new SessionEra(methods, limits)
  const modern = new ModernEra(methods)
  const server = createServer({ headersTimeout: 30_000, requestTimeout: 120_000, keepAliveTimeout: 65_000 })
  const connections = new Connections(server)
  const port = await listen(server, settings)
  const endpoint = new Endpoint(new Guard(settings, port), source, [modern, era], log)
  server.on('request', (request, response) => void endpoint.handle(request, response))
  log.info({ host: settings.host, port, api: settings.apiUrl }, 'listening')
  return {
    port,
    ready: source.start(),
    refresh: () => source.refresh(),
    sessions: () => era.size,
    stop: async (patience = 18_000) => {
      source.stop()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      endpoint.drain()
      const closing = setInterval(() => connections.closeUnused(), 50)
      await Promise.race([closed, sleep(patience, undefined, { ref: false })])
      clearInterval(closing)
      era.close()
      server.closeAllConnections()
      await closed
      await upstream.close()
    },
  }
}

async function listen(server: Server, { host, port }: Settings): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return (server.address() as AddressInfo).port
}
