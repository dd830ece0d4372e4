import { request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { computeMedian } from './figures.ts'
import { readProcessorMicroseconds, type HttpRequest, type LoadSide, type WeighedLoad } from './load.ts'

/** How often a side is measured. */
const runCount = 3

interface LoadPace {
  connections: number
  seconds: number
}

/**
 * Loads a server that answers a POST with 202 and sends the result on the session's GET stream. As many calls are open
 * as there are connections; a call counts when its result has arrived.
 * @returns the medians of three runs after a warm-up
 */
export async function loadStreamed(side: LoadSide, pace: LoadPace): Promise<WeighedLoad> {
  const waiting = new Map<unknown, () => void>()
  const close = await openStream(side, (answer) => waiting.get(parseId(answer))?.())
  const pool = new Pool(side.url, { connections: pace.connections })
  try {
    await loadOnce(side, { ...pace, seconds: 1 }, pool, waiting)
    const found: WeighedLoad[] = []
    for (let run = 0; run < runCount; run++) found.push(await loadOnce(side, pace, pool, waiting))
    const middle = (name: keyof WeighedLoad) => computeMedian(found.map((one) => one[name]))
    return {
      count: middle('count'),
      perSecond: middle('perSecond'),
      p50: middle('p50'),
      p99: middle('p99'),
      spent: middle('spent'),
    }
  } finally {
    close()
    await pool.destroy()
  }
}

async function loadOnce(
  { requests, pid }: LoadSide,
  pace: LoadPace,
  pool: Pool,
  waiting: Map<unknown, () => void>,
): Promise<WeighedLoad> {
  const times: number[] = []
  const before = readProcessorMicroseconds(pid)
  const began = performance.now()
  const end = began + pace.seconds * 1000
  let next = 0
  const lane = async () => {
    while (performance.now() < end) {
      const request = requests[next++ % requests.length]
      if (!request) throw new Error('There is nothing to send')
      const sent = performance.now()
      await waitForAnswer(request, pool, waiting)
      times.push(performance.now() - sent)
    }
  }
  await Promise.all(Array.from({ length: pace.connections }, lane))
  const took = performance.now() - began
  times.sort((a, b) => a - b)
  const getPercentile = (part: number) => times[Math.floor((times.length - 1) * part)] ?? 0
  const count = times.length
  return {
    count,
    perSecond: count / (took / 1000),
    p50: getPercentile(0.5),
    p99: getPercentile(0.99),
    spent: (readProcessorMicroseconds(pid) - before) / count,
  }
}

async function waitForAnswer(
  { path, headers = {}, body = '' }: HttpRequest,
  pool: Pool,
  waiting: Map<unknown, () => void>,
): Promise<void> {
  const id = parseId(body)
  const answer = new Promise<void>((resolve) => waiting.set(id, resolve))
  const taken = await pool.request({ method: 'POST', path, headers, body })
  await taken.body.dump()
  if (taken.statusCode !== 202) throw new Error(`It answered ${taken.statusCode}`)
  await answer
  waiting.delete(id)
}

/** Opens the session's stream; its headers come only with the first answer. @param onAnswer called with each answer */
async function openStream(
  { url, requests: [first] }: LoadSide,
  onAnswer: (answer: string) => void,
): Promise<() => void> {
  const headers = { ...first?.headers, accept: 'text/event-stream' }
  const streamRequest = httpRequest(`${url}/mcp`, { headers, agent: false }, (stream) => {
    let rest = ''
    stream.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.startsWith('data: {')) onAnswer(line.slice(6))
    })
    stream.on('error', () => undefined)
  })
  streamRequest.on('error', () => undefined).end()
  await sleep(300)
  return () => void streamRequest.destroy()
}

const parseId = (message = '') => (JSON.parse(message) as { id: unknown }).id

/** Returns the stream's answer to the first request. */
export async function readStreamedAnswer(side: LoadSide): Promise<string> {
  const [first] = side.requests
  const { promise, resolve } = Promise.withResolvers<string>()
  const close = await openStream(side, (answer) => {
    if (parseId(answer) === parseId(first?.body)) resolve(answer)
  })
  await fetch(`${side.url}/mcp`, { method: 'POST', headers: first?.headers ?? {}, body: first?.body ?? '' })
  const answer = await Promise.race([promise, sleep(5_000, 'nothing within 5 s')])
  close()
  return answer
}
