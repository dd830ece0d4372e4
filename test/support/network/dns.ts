import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import {
  RECURSION_AVAILABLE,
  TRUNCATED_RESPONSE,
  decode,
  encode,
  streamDecode,
  streamEncode,
  type Answer,
  type Packet,
} from 'dns-packet'

/** The answer of the tests' DNS server for one name. Names without an entry do not exist. */
export interface Zone {
  txt?: readonly string[]
  /** The name that this name is an alias of; the entry of that name counts. */
  cname?: string
  /** The server does not answer. */
  silent?: true
  /** The server answers with a server failure. */
  broken?: true
}

const folderVariable = 'TEST_DNS_FOLDER'
const addressVariable = 'TEST_DNS_RESOLVER'

/** Returns the value of `DNS_RESOLVERS` for platforms under test, so that they never ask a real DNS server. */
export const getTestResolver = (): string | undefined => process.env[addressVariable]

const getZoneFile = (name: string) =>
  join(process.env[folderVariable] ?? '', `${encodeURIComponent(name.toLowerCase())}.json`)

/** Sets the entry of a name for all processes; without a zone the name does not exist. */
export function setZone(name: string, zone?: Zone): void {
  if (zone === undefined) return rmSync(getZoneFile(name), { force: true })
  const temporaryFile = `${getZoneFile(name)}.${process.pid}`
  writeFileSync(temporaryFile, JSON.stringify(zone))
  renameSync(temporaryFile, getZoneFile(name))
}

function findZone(name: string): Zone | undefined {
  try {
    return JSON.parse(readFileSync(getZoneFile(name), 'utf8')) as Zone
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause
    return undefined
  }
}

/**
 * Serves DNS on loopback, over UDP and TCP. The entries are files in a folder, so that all test processes can write
 * them.
 */
export async function startDnsServer(folder: string): Promise<{ stop(): void }> {
  mkdirSync(folder, { recursive: true })
  process.env[folderVariable] = folder
  const tcp = createServer((socket) => {
    let received = Buffer.alloc(0)
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      if (received.length < 2 || received.length < received.readUInt16BE(0) + 2) return
      const answer = answerQuery(streamDecode(received))
      if (answer) socket.end(streamEncode(answer))
    })
  }).listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const { port } = tcp.address() as AddressInfo
  const udp = createSocket('udp4')
  udp.on('message', (message, { port: to, address }) => {
    const answer = answerQuery(decode(message))
    if (answer) udp.send(truncateToDatagram(answer), to, address)
  })
  udp.bind(port, '127.0.0.1')
  await once(udp, 'listening')
  process.env[addressVariable] = `127.0.0.1:${port}`
  return {
    stop() {
      udp.close()
      tcp.close()
    },
  }
}

/** Encodes an answer for UDP. If it is too large, it is marked as truncated, so that the client asks again over TCP. */
function truncateToDatagram(answer: Packet): Buffer {
  const whole = encode(answer)
  return whole.length <= 512
    ? whole
    : encode({ ...answer, flags: (answer.flags ?? 0) | TRUNCATED_RESPONSE, answers: [] })
}

function answerQuery(queryPacket: Packet): Packet | undefined {
  const [question] = queryPacket.questions ?? []
  if (!question) return undefined
  const answers: Answer[] = []
  let name = question.name
  let zone = findZone(name)
  while (zone?.cname !== undefined && answers.length < 8) {
    answers.push({ type: 'CNAME', name, data: zone.cname, ttl: 0 })
    name = zone.cname
    zone = findZone(name)
  }
  if (zone?.silent) return undefined
  const rcode = zone?.broken ? 2 : zone ? 0 : 3
  // A text of more than 255 bytes is sent in parts.
  const splitText = (text: string) => text.match(/[^]{1,255}/g) ?? ['']
  if (question.type === 'TXT')
    for (const text of zone?.txt ?? []) answers.push({ type: 'TXT', name, data: splitText(text), ttl: 0 })
  return {
    type: 'response',
    id: queryPacket.id ?? 0,
    flags: RECURSION_AVAILABLE | rcode,
    questions: [question],
    answers,
  }
}
