import { once } from 'node:events'
import {
  createSecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { PeerCertificate, TLSSocket } from 'node:tls'
import { createServerCertificate, type PemPair } from './certificates.ts'

/** What the service can be told to do with the next requests, whatever they ask. */
export type Fault = 'throttle' | 'unavailable' | 'internal' | 'goaway' | 'drop' | 'refuse'

/** What came of one token. */
export interface TokenRecord {
  pushes: number
  /** Those that leave the phone its time. */
  quiet: number
}

/** A push that was taken. */
export interface TakenPush {
  token: string
  topic: string
  id: string
  isQuiet: boolean
}

/** A stand-in of the Apple Push Notification service. */
export interface ApnsStandIn {
  url: string
  /** The authority that its certificate comes from, as PEM. */
  ca: string
  /** What was taken, by token: few bytes each, for many. */
  readonly tokens: ReadonlyMap<string, TokenRecord>
  /** Reasons of refusals, by how often. */
  readonly refusals: ReadonlyMap<string, number>
  /** How many connections there were. */
  readonly sessions: number
  /** Counts for the next requests only. */
  fail(fault: Fault, requests: number): void
  /** Ends a token, as when its phone has removed the last pass. */
  endToken(token: string, at?: Date): void
  /** Makes a token one that the service never gave. */
  spoilToken(token: string): void
  /** Calls a phone with each push to its token. */
  onPush(token: string, listener: (push: TakenPush) => void): void
  stop(): Promise<void>
}

/** The most requests at a time that the service takes on one connection. Source: its SETTINGS frame. */
const maxConcurrentStreams = 1_000

const tokenPattern = /^\/3\/device\/([0-9a-fA-F]{8,200})$/
const idPattern = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** A refusal: the status and the reason. */
type Refusal = readonly [status: number, reason: string]

/** What the client of a connection has shown, looked at once. */
interface Peer {
  refusal: Refusal | null
  topic: string | null
}

/**
 * Looks at the certificate of a client. Its UID is the only topic that it may push to.
 * Source: Apple, "Establishing a certificate-based connection to APNs".
 */
function readPeer(socket: TLSSocket): Peer {
  const certificate = socket.getPeerCertificate() as PeerCertificate | Record<string, never>
  if (Object.keys(certificate).length === 0) return { refusal: [403, 'MissingProviderToken'], topic: null }
  const { UID: topic } = (certificate as PeerCertificate).subject as unknown as Record<string, string | undefined>
  const isGood = socket.authorized && topic !== undefined
  return { refusal: isGood ? null : [403, 'BadCertificate'], topic: topic ?? null }
}

/**
 * Finds what is wrong with the headers of a push to a pass.
 * Sources: Apple, "Sending notification requests to APNs" (headers: a background push has priority 5 or 1; `apns-topic` is
 * that of the certificate) and "Handling notification responses from APNs" (reasons).
 */
function findHeaderRefusal(headers: IncomingHttpHeaders, topic: string | null): Refusal | null {
  if (headers[':method'] !== 'POST') return [405, 'MethodNotAllowed']
  if (!String(headers[':path']).startsWith('/3/device/')) return [404, 'BadPath']
  if (headers[':path'] === '/3/device/') return [400, 'MissingDeviceToken']
  if (headers['apns-topic'] === undefined) return [400, 'MissingTopic']
  if (!/^pass\.[A-Za-z0-9.-]+$/.test(String(headers['apns-topic']))) return [400, 'BadTopic']
  if (headers['apns-topic'] !== topic) return [400, 'TopicDisallowed']
  const { 'apns-id': id, 'apns-push-type': type = 'alert', 'apns-priority': priority = '10' } = headers
  if (id !== undefined && !idPattern.test(String(id))) return [400, 'BadMessageId']
  if (type !== 'alert' && type !== 'background') return [400, 'InvalidPushType']
  if (!['1', '5', '10'].includes(String(priority))) return [400, 'BadPriority']
  if (type === 'background' && priority === '10') return [400, 'BadPriority']
  if (!tokenPattern.test(String(headers[':path']))) return [400, 'BadDeviceToken']
  return null
}

/** Starts the service on loopback. @param authority the one that certificates of pass types come from */
export async function startApns(authority: PemPair): Promise<ApnsStandIn> {
  const { certificate, privateKey } = createServerCertificate(authority)
  const server = createSecureServer({
    cert: certificate,
    key: privateKey,
    ca: authority.certificate,
    requestCert: true,
    rejectUnauthorized: false,
    settings: { maxConcurrentStreams },
  })
  const service = new Service()
  const sessions = new Set<ServerHttp2Session>()
  let count = 0
  server.on('session', (session) => {
    count++
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    session.on('error', () => undefined)
    const peer = readPeer(session.socket as TLSSocket)
    session.on('stream', (stream, headers) => service.take(session, peer, stream, headers))
  })
  server.on('sessionError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `https://127.0.0.1:${port}`,
    ca: authority.certificate,
    tokens: service.tokens,
    refusals: service.refusals,
    get sessions() {
      return count
    },
    fail: (fault, requests) => service.fail(fault, requests),
    endToken: (token, at = new Date()) => service.ended.set(token, at),
    spoilToken: (token) => service.spoiled.add(token),
    onPush: (token, listener) => service.listeners.set(token, listener),
    async stop() {
      for (const session of sessions) session.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

class Service {
  readonly tokens = new Map<string, TokenRecord>()
  readonly refusals = new Map<string, number>()
  readonly ended = new Map<string, Date>()
  readonly spoiled = new Set<string>()
  readonly listeners = new Map<string, (push: TakenPush) => void>()
  #fault: Fault | null = null
  #faults = 0

  fail(fault: Fault, requests: number): void {
    this.#fault = fault
    this.#faults = requests
  }

  take(session: ServerHttp2Session, peer: Peer, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    stream.on('error', () => undefined)
    if (this.#faults > 0 && this.#fault !== null) {
      this.#faults--
      return this.#break(session, stream, this.#fault)
    }
    let body = ''
    stream.on('data', (chunk: Buffer) => (body += chunk.toString('latin1')))
    stream.once('end', () => {
      const refusal = peer.refusal ?? findHeaderRefusal(headers, peer.topic) ?? this.#findTokenRefusal(headers, body)
      if (refusal) return this.#refuse(stream, headers, refusal)
      this.#note(headers)
      stream.respond({ ':status': 200, 'apns-id': headers['apns-id'] }, { endStream: true })
    })
  }

  #note(headers: IncomingHttpHeaders): void {
    const token = String(headers[':path']).slice('/3/device/'.length)
    const isQuiet = headers['apns-push-type'] === 'background'
    const record = this.tokens.get(token)
    if (record) {
      record.pushes++
      if (isQuiet) record.quiet++
    } else this.tokens.set(token, { pushes: 1, quiet: isQuiet ? 1 : 0 })
    this.listeners.get(token)?.({
      token,
      topic: String(headers['apns-topic']),
      id: String(headers['apns-id']),
      isQuiet,
    })
  }

  /** A push to a pass says nothing: its body is an empty object. Source: Apple, "Adding a Web Service to Update Passes". */
  #findTokenRefusal(headers: IncomingHttpHeaders, body: string): Refusal | null {
    const token = String(headers[':path']).slice('/3/device/'.length)
    if (body === '') return [400, 'PayloadEmpty']
    if (body.length > 4_096) return [413, 'PayloadTooLarge']
    if (body.trim() !== '{}') return [400, 'BadPayload']
    if (this.spoiled.has(token)) return [400, 'BadDeviceToken']
    return this.ended.has(token) ? [410, 'Unregistered'] : null
  }

  #refuse(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, [status, reason]: Refusal): void {
    this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1)
    const ended = this.ended.get(String(headers[':path']).slice('/3/device/'.length))
    stream.respond({ ':status': status, 'apns-id': headers['apns-id'], 'content-type': 'application/json' })
    stream.end(JSON.stringify({ reason, ...(status === 410 && ended && { timestamp: ended.getTime() }) }))
  }

  #break(session: ServerHttp2Session, stream: ServerHttp2Stream, fault: Fault): void {
    const answers = {
      throttle: [429, 'TooManyRequests'],
      unavailable: [503, 'ServiceUnavailable'],
      internal: [500, 'InternalServerError'],
    } as const
    stream.resume()
    // As an answer may come before the request has ended.
    if (fault === 'refuse') stream.close(0x7)
    else if (fault === 'drop') session.destroy()
    else if (fault === 'goaway') {
      // Nothing of this request or of those after it is taken.
      session.goaway(0, Math.max(0, (stream.id ?? 1) - 2), Buffer.from(JSON.stringify({ reason: 'Shutdown' })))
      stream.close(0x7)
    } else this.#refuse(stream, {}, answers[fault])
  }
}
