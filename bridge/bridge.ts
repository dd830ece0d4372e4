import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connections } from './connections.ts'
import { DocumentSource } from './document.ts'
import { Endpoint } from './endpoint.ts'
import { ModernEra } from './eras/modern/modern-era.ts'
import { Rounds } from './eras/modern/rounds.ts'
import { Tasks } from './eras/modern/tasks.ts'
import { SessionEra } from './eras/session/session-era.ts'
import { Upstream } from './forward.ts'
import { Guard } from './guard.ts'
import { callLimits } from './limits.ts'
import type { Log } from './log.ts'
import { startMetrics } from './metrics.ts'
import { Methods } from './methods/methods.ts'
import { RedisShared } from './redis.ts'
import { sealer } from './seal.ts'
import type { Limits } from './sessions.ts'
import { SettingsError, type Settings } from './settings.ts'
import { alone, type Shared } from './shared.ts'
import { answerUnread } from './unread.ts'

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
  const source = new DocumentSource(upstream, settings.resourcesUrl, log)
  const shared = sharedOf(settings, log)
  const ending = new AbortController()
  const metrics = await startMetrics(settings.host, settings.metricsPort, {
    sessions: () => era.size,
    documentAge: () => source.age,
    sharedReady: () => (shared.alone ? null : shared.ready),
  })
  const calls = callLimits(settings.callsPerMinute, shared, log)
  const methods = new Methods(upstream, () => source.catalogue, log, { metrics, limits: calls, ending: ending.signal })
  const sealing = sealer(settings.secret ?? randomBytes(32))
  const era = new SessionEra(methods, { sealer: sealing, shared, limits, metrics })
  const modern = new ModernEra(methods, { asking: new Rounds(sealing, shared, metrics), tasks: new Tasks(sealing, methods, metrics), quick: limits?.quick ?? true })
  const server = createServer({ headersTimeout: 30_000, requestTimeout: 120_000, keepAliveTimeout: 65_000, maxHeaderSize: 32 * 1024 })
  answerUnread(server)
  const connections = new Connections(server)
  const port = await listen(server, settings)
  const endpoint = new Endpoint(new Guard(settings, port), source, [modern, era], log, {
    trustProxy: settings.trustProxy,
    metrics,
    limits: calls,
    sharedReady: () => shared.ready,
  })
  server.on('request', (request, response) => void endpoint.handle(request, response))
  log.info({ host: settings.host, port, api: settings.apiUrl }, 'listening')
  return {
    port,
    ready: Promise.all([source.start(), shared.started]).then(() => undefined),
    refresh: () => source.refresh(),
    sessions: () => era.size,
    stop: async (patience = 18_000) => {
      source.stop()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      endpoint.drain(patience)
      connections.endAfterAnswers()
      ending.abort()
      const closing = setInterval(() => connections.closeUnused(), 50)
      await Promise.race([closed, sleep(patience, undefined, { ref: false })])
      clearInterval(closing)
      era.close()
      modern.close()
      calls.close()
      server.closeAllConnections()
      await closed
      await Promise.all([upstream.close(), shared.close(), metrics.stop()])
    },
  }
}

/** What the process has in common with others, and a line for each thing that others would need. */
function sharedOf({ secret, redisUrl }: Settings, log: Log): Shared {
  if (secret === null)
    log.warn('MCP_SECRET is not set: ids of sessions and tasks end with this process, and no other one knows them')
  if (redisUrl !== null) return new RedisShared(redisUrl, log)
  if (secret !== null)
    log.info('REDIS_URL is not set: several processes need a balancer that keeps a session at one of them')
  return alone()
}

/** Says in a sentence why nobody can listen there, where an operator can put it right. */
function listenError(cause: NodeJS.ErrnoException, host: string, port: number): Error {
  const reasons: Record<string, string> = {
    EADDRINUSE: `BRIDGE_PORT ${port} is taken on ${host}; stop what listens there or set BRIDGE_PORT to another port`,
    EACCES: `BRIDGE_PORT ${port} may not be used by this user; set BRIDGE_PORT to 1024 or more`,
    EADDRNOTAVAIL: `HOST ${host} is not an address of this machine`,
  }
  const reason = reasons[cause.code ?? '']
  return reason === undefined ? cause : new SettingsError([reason])
}

async function listen(server: Server, { host, port }: Settings): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    const refuse = (cause: NodeJS.ErrnoException) => reject(listenError(cause, host, port))
    server.once('error', refuse)
    server.listen(port, host, () => {
      server.off('error', refuse)
      resolve()
    })
  })
  return (server.address() as AddressInfo).port
}
