import { request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { median } from './figures.ts'
import { processorTime, type HttpRequest, type Side, type Weighed } from './load.ts'

/** How often a side is measured. */
const runs = 3

interface Pace {
  connections: number
  seconds: number
}

/**
 * Loads a server that takes a POST with 202 and answers on the GET stream of the session: so many calls are open at
 * once, and each counts when its answer has come. @returns the middle of three runs after a warm-up
 */
export async function loadStreamed(side: Side, pace: Pace): Promise<Weighed> {
  const waiting = new Map<unknown, () => void>()
  const close = await open(side, (answer) => waiting.get(idOf(answer))?.())
  const pool = new Pool(side.url, { connections: pace.connections })
  try {
    await once(side, { ...pace, seconds: 1 }, pool, waiting)
    const found: Weighed[] = []
    for (let run = 0; run < runs; run++) found.push(await once(side, pace, pool, waiting))
    const middle = (name: keyof Weighed) => median(found.map((one) => one[name]))
    return { count: middle('count'), perSecond: middle('perSecond'), p50: middle('p50'), p99: middle('p99'), spent: middle('spent') }
  } finally {
    close()
    await pool.destroy()
  }
}

async function once({ requests, pid }: Side, pace: Pace, pool: Pool, waiting: Map<unknown, () => void>): Promise<Weighed> {
  const times: number[] = []
  const before = processorTime(pid)
  const began = performance.now()
  const end = began + pace.seconds * 1000
  let next = 0
  const lane = async () => {
    while (performance.now() < end) {
      const request = requests[next++ % requests.length]
      if (!request) throw new Error('There is nothing to send')
      const sent = performance.now()
      await answered(request, pool, waiting)
      times.push(performance.now() - sent)
    }
  }
  await Promise.all(Array.from({ length: pace.connections }, lane))
  const took = performance.now() - began
  times.sort((a, b) => a - b)
  const at = (part: number) => times[Math.floor((times.length - 1) * part)] ?? 0
  const count = times.length
  return { count, perSecond: count / (took / 1000), p50: at(0.5), p99: at(0.99), spent: (processorTime(pid) - before) / count }
}

async function answered({ path, headers = {}, body = '' }: HttpRequest, pool: Pool, waiting: Map<unknown, () => void>): Promise<void> {
  const id = idOf(body)
  const answer = new Promise<void>((resolve) => waiting.set(id, resolve))
  const taken = await pool.request({ method: 'POST', path, headers, body })
  await taken.body.dump()
  if (taken.statusCode !== 202) throw new Error(`It answered ${taken.statusCode}`)
  await answer
  waiting.delete(id)
}

/** Opens the stream of the session; its head comes with the first answer only. @param take told each answer */
async function open({ url, requests: [first] }: Side, take: (answer: string) => void): Promise<() => void> {
  const headers = { ...first?.headers, accept: 'text/event-stream' }
  const asked = httpRequest(`${url}/mcp`, { headers, agent: false }, (stream) => {
    let rest = ''
    stream.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.startsWith('data: {')) take(line.slice(6))
    })
    stream.on('error', () => undefined)
  })
  asked.on('error', () => undefined).end()
  await sleep(300)
  return () => void asked.destroy()
}

const idOf = (message = '') => (JSON.parse(message) as { id: unknown }).id

/** What the stream answers to the first request. */
export async function streamedAnswer(side: Side): Promise<string> {
  const [first] = side.requests
  const { promise, resolve } = Promise.withResolvers<string>()
  const close = await open(side, (answer) => {
    if (idOf(answer) === idOf(first?.body)) resolve(answer)
  })
  await fetch(`${side.url}/mcp`, { method: 'POST', headers: first?.headers ?? {}, body: first?.body ?? '' })
  const answer = await Promise.race([promise, sleep(5_000, 'nothing within 5 s')])
  close()
  return answer
}
