import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** One answer as it came over the wire. */
export interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

export interface RawConnection {
  socket: Socket
  /** Everything that came so far. */
  received(): string
  send(text: string | Buffer): void
  /** The answer, when its head and as much body as it announces are there; at most `timeoutMs` milliseconds. */
  answer(timeoutMs?: number): Promise<RawAnswer>
  /** Resolves when the other side has closed. */
  closed: Promise<unknown>
}

/** A bare connection to an API, for what no well-mannered client sends. */
export async function openRawConnection(api: string): Promise<RawConnection> {
  const { hostname, port } = new URL(api)
  const socket = connect(Number(port), hostname)
  const parts: Buffer[] = []
  socket.on('data', (part) => parts.push(part))
  socket.on('error', () => undefined)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await once(socket, 'connect')
  const received = () => Buffer.concat(parts).toString('latin1')
  return {
    socket,
    received,
    closed,
    send: (text) => void socket.write(text),
    async answer(maxWaitMs = 30_000) {
      for (const end = Date.now() + maxWaitMs; Date.now() < end; await sleep(10)) {
        const answer = parse(received())
        if (answer) return answer
      }
      throw new Error(`No whole answer within ${maxWaitMs} ms: ${received().slice(0, 500)}`)
    },
  }
}

function parse(text: string): RawAnswer | null {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [first = '', ...lines] = text.slice(0, end).split('\r\n')
  const status = Number(first.split(' ')[1])
  if (status === 100) return parse(text.slice(end + 4))
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const body = text.slice(end + 4)
  return body.length < Number(headers['content-length'] ?? 0) ? null : { status, headers, body }
}

/** The head of a request with these fields. */
export const formatHead = (method: string, path: string, headers: Record<string, string | number>): string =>
  `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`
