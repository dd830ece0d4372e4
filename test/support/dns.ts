import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { RECURSION_AVAILABLE, TRUNCATED_RESPONSE, decode, encode, streamDecode, streamEncode, type Answer, type Packet } from 'dns-packet'

/** What the tests' DNS server knows of a name. Names without an entry do not exist. */
export interface Zone {
  txt?: readonly string[]
  /** The name that this one is another name of; its entry counts. */
  cname?: string
  /** Nobody answers. */
  silent?: true
  /** Answers that something is wrong with the server. */
  broken?: true
}

const folderVariable = 'TEST_DNS_FOLDER'
const addressVariable = 'TEST_DNS_RESOLVER'

/** `DNS_RESOLVERS` of platforms under test: none of them ever asks a DNS server of the outside. */
export const resolverOfTests = (): string | undefined => process.env[addressVariable]

const fileOf = (name: string) => join(process.env[folderVariable] ?? '', `${encodeURIComponent(name.toLowerCase())}.json`)

/** Says what a name is from now on, to every process; without an entry it does not exist. */
export function setZone(name: string, zone?: Zone): void {
  if (zone === undefined) return rmSync(fileOf(name), { force: true })
  const draft = `${fileOf(name)}.${process.pid}`
  writeFileSync(draft, JSON.stringify(zone))
  renameSync(draft, fileOf(name))
}

function zoneOf(name: string): Zone | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(name), 'utf8')) as Zone
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause
    return undefined
  }
}

/** Serves DNS on loopback, over UDP and TCP, from entries in a folder that tests write to in processes of their own. */
export async function serveDns(folder: string): Promise<{ stop(): void }> {
  mkdirSync(folder, { recursive: true })
  process.env[folderVariable] = folder
  const tcp = createServer((socket) => {
    let received = Buffer.alloc(0)
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      if (received.length < 2 || received.length < received.readUInt16BE(0) + 2) return
      const answer = answerTo(streamDecode(received))
      if (answer) socket.end(streamEncode(answer))
    })
  }).listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const { port } = tcp.address() as AddressInfo
  const udp = createSocket('udp4')
  udp.on('message', (message, { port: to, address }) => {
    const answer = answerTo(decode(message))
    if (answer) udp.send(cutToDatagram(answer), to, address)
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

/** An answer that is too large for UDP says so, and is asked for again over TCP. */
function cutToDatagram(answer: Packet): Buffer {
  const whole = encode(answer)
  return whole.length <= 512 ? whole : encode({ ...answer, flags: (answer.flags ?? 0) | TRUNCATED_RESPONSE, answers: [] })
}

function answerTo(asked: Packet): Packet | undefined {
  const [question] = asked.questions ?? []
  if (!question) return undefined
  const answers: Answer[] = []
  let name = question.name
  let zone = zoneOf(name)
  while (zone?.cname !== undefined && answers.length < 8) {
    answers.push({ type: 'CNAME', name, data: zone.cname, ttl: 0 })
    name = zone.cname
    zone = zoneOf(name)
  }
  if (zone?.silent) return undefined
  const rcode = zone?.broken ? 2 : zone ? 0 : 3
  // A text of more than 255 bytes is sent in parts.
  const parts = (text: string) => text.match(/[^]{1,255}/g) ?? ['']
  if (question.type === 'TXT') for (const text of zone?.txt ?? []) answers.push({ type: 'TXT', name, data: parts(text), ttl: 0 })
  return { type: 'response', id: asked.id ?? 0, flags: RECURSION_AVAILABLE | rcode, questions: [question], answers }
}
