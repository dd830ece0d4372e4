import { Agent, request as plain, type RequestOptions } from 'node:http'
import { Agent as TlsAgent, request as secure } from 'node:https'
import type { Signed } from '../family.ts'
import type { Intent } from './intents.ts'
import type { SigningFamily } from './keys.ts'

/** Where the signer is: a unix socket on this machine, or an https address. */
export interface SignerAddress {
  signerSocket?: string | undefined
  signerUrl?: string | undefined
  signerSecret?: string | undefined
}

/** The signer does not answer; asking again is safe. */
export class SignerUnreachable extends Error {
  override name = 'SignerUnreachable'
}

/** The signer refused: an unknown wallet (404), another intent under a used operation id (409), what is not allowed (403). */
export class SignerRefused extends Error {
  override name = 'SignerRefused'
  readonly status: number
  readonly code: string
  /** Of SIGNED_BEFORE: the wallet's nonce that has to be over first; null: that of another wallet; undefined: ask again. */
  readonly nonce: number | null | undefined
  constructor(status: number, code: string, message: string, nonce?: number | null) {
    super(message)
    this.status = status
    this.code = code
    this.nonce = nonce
  }
}

export interface SendingAccount { account: string; address: string }

/** The signer, seen from the processes that may not read its keys. Every call may be repeated. */
export interface Signer {
  ensureKey(account: string, family: SigningFamily): Promise<string>
  /** @returns the signed transaction of an intent */
  sign(operation: string, intent: Intent): Promise<Signed>
  /** The wallets that send a network's transactions, and who owns what they deploy. */
  senders(network: string): Promise<{ senders: SendingAccount[]; owner: string | null }>
  /** Seals its keys again that are not sealed with its present key. */
  reseal(): Promise<{ resealed: number }>
  close(): void
}

/** Milliseconds that an answer may take. */
const patience = 10_000

export function signerAt({ signerSocket, signerUrl, signerSecret }: SignerAddress): Signer {
  const options = { keepAlive: true, maxSockets: 16 }
  const agent = signerUrl === undefined ? new Agent(options) : new TlsAgent(options)
  const ask = async <T>(path: string, body: object): Promise<T> => {
    if (signerSecret === undefined || (signerSocket ?? signerUrl) === undefined) {
      throw new SignerUnreachable('no signer is configured')
    }
    const at = signerUrl === undefined ? { socketPath: signerSocket } : addressOf(signerUrl)
    const { status, text } = await post({ ...at, path, agent, secret: signerSecret }, JSON.stringify(body))
    if (status === 200) return JSON.parse(text) as T
    if (status >= 500) throw new SignerUnreachable(`the signer answered ${status}`)
    const { code, error, nonce } = JSON.parse(text) as { code: string; error: string; nonce?: number | null }
    throw new SignerRefused(status, code, error, nonce)
  }
  return {
    ensureKey: async (account, family) => (await ask<{ address: string }>('/ensure-key', { account, family })).address,
    async sign(operation, intent) {
      const { hash, raw } = await ask<{ hash: string; raw: string }>('/sign', { operation, intent })
      return { hash, raw: Buffer.from(raw, 'base64') }
    },
    senders: (network) => ask('/senders', { network }),
    reseal: () => ask('/reseal', {}),
    close: () => agent.destroy(),
  }
}

function addressOf(url: string) {
  const { hostname, port } = new URL(url)
  return { protocol: 'https:', hostname, port: port || 443 }
}

function post({ secret, ...options }: RequestOptions & { secret: string }, body: string) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const fail = (cause: Error) => reject(new SignerUnreachable('the signer does not answer', { cause }))
    const headers = {
      authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body),
    }
    const request = options.protocol === 'https:' ? secure : plain
    const outgoing = request({ ...options, method: 'POST', headers, timeout: patience }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part)).once('error', fail)
      response.once('end', () => resolve({ status: response.statusCode ?? 500, text: Buffer.concat(parts).toString() }))
    })
    outgoing.once('timeout', () => outgoing.destroy(new Error('time is up'))).once('error', fail)
    outgoing.end(body)
  })
}
