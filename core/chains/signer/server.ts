import { createHash, timingSafeEqual } from 'node:crypto'
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { Logger } from 'pino'
import { networkNames, networks } from '../networks.ts'
import { families, type SigningFamily } from './keys.ts'
import { readIntent } from './intents.ts'
import { Refusal } from './refusal.ts'
import type { Vault } from './vault.ts'

export interface SignerServerOptions { socket: string; secret: string; vault: Vault; log: Logger }

/** The largest request, in bytes: a batch of the most tokens fits several times. */
const bodyLimit = 512 * 1024

/**
 * Serves the vault on a unix socket that only this user may open. Every request carries the shared secret as a bearer
 * token. A signer on another machine is reached through a TLS end point in front of the socket.
 */
export async function serveSigner({ socket, secret, vault, log }: SignerServerOptions): Promise<Server> {
  await removeDeadSocket(socket)
  const expected = digest(`Bearer ${secret}`)
  const server = createServer((request, response) => {
    const knows = timingSafeEqual(digest(request.headers.authorization ?? ''), expected)
    const answer = knows ? handle(vault, request) : Promise.reject(new Refusal(401, 'UNAUTHORIZED', 'The secret is missing or wrong.'))
    answer.then((body) => send(response, 200, body), (cause: unknown) => {
      if (!(cause instanceof Refusal)) {
        log.error({ err: cause, path: request.url }, 'the signer could not answer')
        return send(response, 500, { error: 'The signer could not answer.' })
      }
      log.warn({ path: request.url, code: cause.code, reason: cause.message }, 'the signer refused a request')
      send(response, cause.status, { code: cause.code, error: cause.message, nonce: cause.nonce })
    })
  })
  server.requestTimeout = 10_000
  const before = process.umask(0o177)
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socket, resolve))
  } finally {
    process.umask(before)
  }
  chmodSync(socket, 0o600)
  return server
}

async function handle(vault: Vault, request: IncomingMessage): Promise<object> {
  if (request.method !== 'POST') throw new Refusal(405, 'METHOD', 'Only POST is served.')
  const body = await read(request)
  switch (request.url) {
    case '/ensure-key': return { address: await vault.ensureKey(text(body, 'account'), family(body)) }
    case '/sign': {
      const { hash, raw } = await vault.sign(text(body, 'operation'), readIntent(body['intent']))
      return { hash, raw: Buffer.from(raw).toString('base64') }
    }
    case '/reseal': return { resealed: await vault.reseal() }
    case '/senders': return vault.senders(network(body))
    default: throw new Refusal(404, 'PATH', 'There is no such path.')
  }
}

async function read(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length
    if (size <= bodyLimit) parts.push(part)
  }
  // Read to its end first: a connection that is cut while the caller still writes takes the refusal along.
  if (size > bodyLimit) throw new Refusal(413, 'TOO_LARGE', 'The request is too large.')
  try {
    const body: unknown = JSON.parse(Buffer.concat(parts).toString())
    if (typeof body === 'object' && body !== null) return body as Record<string, unknown>
  } catch {
    throw new Refusal(400, 'MALFORMED', 'The request is not JSON.')
  }
  throw new Refusal(400, 'MALFORMED', 'The request is not a JSON object.')
}

function text(body: Record<string, unknown>, name: string, most = 200): string {
  const value = body[name]
  if (typeof value === 'string' && value.length > 0 && value.length <= most) return value
  throw new Refusal(400, 'MALFORMED', `${name} must be a text of 1 to ${most} characters.`)
}

function family(body: Record<string, unknown>): SigningFamily {
  const known = families.find((name) => name === body['family'])
  if (known) return known
  throw new Refusal(400, 'MALFORMED', `family must be one of ${families.join(', ')}.`)
}

/** Only networks that are known have senders: each name would make a key. */
function network(body: Record<string, unknown>): string {
  const name = networkNames.find((known) => known === body['network'] && networks[known].family === 'evm')
  if (name !== undefined) return name
  throw new Refusal(403, 'NETWORK', 'There is no such network here.')
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const digest = (value: string) => createHash('sha256').update(value).digest()

/** A socket file that nobody serves is left from a killed signer. @throws Error when one is running */
async function removeDeadSocket(socket: string): Promise<void> {
  const served = await new Promise<boolean>((resolve) => {
    const probe = connect(socket, () => { probe.destroy(); resolve(true) })
    probe.once('error', () => resolve(false))
  })
  if (served) throw new Error('another signer serves this socket')
  rmSync(socket, { force: true })
}
