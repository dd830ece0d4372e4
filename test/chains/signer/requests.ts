import { request } from 'node:http'
import { randomUUID } from 'node:crypto'
import type { ChainRig } from '../../support/chains/chain-rig.ts'

/** What a request to the signer came to. `raw`: a signed transaction, or a signature. */
export interface Reply {
  status: number
  code: string
  raw: string | undefined
}

export interface Envelope {
  path?: string
  method?: string
  secret?: string | null
  body: string
}

/** Posts to the signer's real socket what anybody could who holds its secret. */
export function askSigner(
  { settings }: ChainRig,
  { path = '/sign', method = 'POST', secret = settings.signerSecret ?? '', body }: Envelope,
) {
  return new Promise<Reply & { text: string }>((resolve, reject) => {
    const headers = {
      'content-length': Buffer.byteLength(body),
      ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
    }
    const outgoing = request({ socketPath: settings.signerSocket, path, method, headers }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part)).once('error', reject)
      response.once('end', () => {
        const text = Buffer.concat(parts).toString()
        const { code = '', raw, signature } = answerOf(text)
        resolve({ status: response.statusCode ?? 0, code, raw: raw ?? signature, text })
      })
    })
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}

/** A wallet of the signer that pays for transactions. */
export interface SenderWallet {
  account: string
  address: string
}

/** Reads the first sender that the signer has on the development network. */
export async function readSender(rig: ChainRig): Promise<SenderWallet> {
  const body = JSON.stringify({ network: 'EthereumAnvil' })
  const { text } = await askSigner(rig, { path: '/senders', body })
  const { senders } = JSON.parse(text) as { senders: [SenderWallet] }
  return senders[0]
}

function answerOf(text: string): { code?: string; raw?: string; signature?: string } {
  return text.startsWith('{') ? (JSON.parse(text) as object) : {}
}

export type Json = Record<string, unknown>

/** The body of a request to sign an intent. */
export const createEnvelope = (intent: unknown, operation: string = randomUUID()): Envelope => ({
  body: JSON.stringify({ operation, intent }),
})

/** An intent with other members; those of the act likewise. */
export const changeIntent = (intent: Json, members: Json = {}, act: Json = {}): Json => ({
  ...intent,
  ...members,
  act: { ...(intent['act'] as Json), ...act },
})
