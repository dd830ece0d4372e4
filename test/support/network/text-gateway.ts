import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedText {
  to: string
  text: string
}

/** A gateway of text messages that refuses what real ones refuse. */
export interface TextGateway {
  /** Its address, with the user and the password that it knows. */
  url: string
  /** The same address with a wrong password. */
  wrongUrl: string
  texts: ReceivedText[]
  /** Why it refused messages, each with its status. */
  refusals: string[]
  /** Numbers that no network has. */
  unassigned: Set<string>
  /** How many more messages it takes before it answers 429, once. */
  capacity: number
  stop(): Promise<void>
}

const user = 'tessera'
const password = 'p@ss:word'

/**
 * Starts the gateway. It takes `POST {id, to, text}` with Basic authentication, an id once, numbers in E.164 form and
 * texts of two parts at most. Source: ITU-T E.164; GSM 03.38 and 03.40, 153 letters of the GSM alphabet a part or 67 others.
 */
export async function startTextGateway(): Promise<TextGateway> {
  const server = createServer((request, response) => void answerRequest(gateway, taken, request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}/messages`
  const taken = new Set<string>()
  const gateway: TextGateway = {
    url: `http://${user}:${encodeURIComponent(password)}@${host}`,
    wrongUrl: `http://${user}:wrong@${host}`,
    texts: [],
    refusals: [],
    unassigned: new Set(),
    capacity: Infinity,
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return gateway
}

async function answerRequest(
  gateway: TextGateway,
  taken: Set<string>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const fault = findFault(gateway, request, Buffer.concat(chunks).toString())
  const { id, to, text } = fault ? { id: '', to: '', text: '' } : parse(Buffer.concat(chunks).toString())
  const refuse = (status: number, why: string) => {
    gateway.refusals.push(`${status} ${why}`)
    response.writeHead(status, status === 429 ? { 'retry-after': '1' } : {}).end()
  }
  if (fault) return refuse(...fault)
  if (gateway.capacity <= 0) {
    gateway.capacity = Infinity
    return refuse(429, 'too many a second')
  }
  gateway.capacity--
  if (!taken.has(id)) gateway.texts.push({ to, text })
  taken.add(id)
  response.writeHead(202).end()
}

const parse = (body: string) => JSON.parse(body) as { id: string; to: string; text: string }

function findFault(
  { unassigned }: TextGateway,
  { method, headers }: IncomingMessage,
  body: string,
): [number, string] | null {
  if (method !== 'POST') return [405, 'no POST']
  if (headers.authorization !== `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`)
    return [401, 'wrong password']
  if (headers['content-type'] !== 'application/json') return [415, 'no JSON']
  const { id, to, text, ...unknown } = parse(body)
  if (Object.keys(unknown).length > 0) return [400, 'unknown members']
  if (headers['idempotency-key'] !== id) return [400, 'no idempotency key']
  if (!/^\+[1-9]\d{6,14}$/.test(to) || unassigned.has(to)) return [400, 'no number']
  const isPlain = /^[\w @£$¥!"#%&'()*+,\-./:;<=>?\n\r]*$/.test(text)
  if (text === '' || text.length > 2 * (isPlain ? 153 : 67)) return [413, 'no text of two parts']
  return null
}
