import { EventEmitter, once } from 'node:events'
import type { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import type { Context as KoaContext } from 'koa'
import {
  assertAcceptsEvents,
  countOpenStreams,
  endEventStreams,
  heartbeatIntervalMs,
  streamEvents,
} from '../../../../core/http/events/event-streams.ts'
import type { StateSource } from '../../../../core/kernel/answer.ts'
import type { ProblemError } from '../../../../core/kernel/problem.ts'

type State = Awaited<ReturnType<StateSource['read']>>

/** A state that a test changes; each `read` waits while `isHeld`. */
class ChangingState implements StateSource {
  readonly changes = new EventEmitter()
  state: State
  #held = Promise.resolve()
  release = (): void => undefined

  constructor(version = 1) {
    this.state = { value: { version }, version, isTerminal: false }
  }

  async read(): Promise<State> {
    await this.#held
    return this.state
  }

  subscribe(onChange: () => void): () => void {
    this.changes.on('change', onChange)
    return () => this.changes.off('change', onChange)
  }

  hold(): void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#held = promise
    this.release = resolve
  }

  change(state: State): void {
    this.state = state
    this.changes.emit('change')
  }
}

const event = (version: number) => `id: ${version}\ndata: {"version":${version}}\n\n`
const ctx = { method: 'GET', request: { get: () => '' }, set: () => undefined } as unknown as KoaContext

describe('Event streams (SSE): one state', () => {
  const failures: unknown[] = []
  const open = async (source: StateSource): Promise<PassThrough> => {
    failures.length = 0
    return (await streamEvents(ctx, source, (cause) => failures.push(cause))) as PassThrough
  }

  it('ends behind what a slow reader has not read when the process stops during a read', async () => {
    const source = new ChangingState()
    const stream = await open(source)
    source.hold()
    source.change({ value: { version: 2 }, version: 2, isTerminal: false })
    endEventStreams()
    source.release()
    expect(await text(stream)).to.equal(event(1))
    expect([failures, source.changes.listenerCount('change'), countOpenStreams()]).to.deep.equal([[], 0, 0])
  })

  it('is none of a state that is not there, or for a client that does not accept it', async () => {
    const source = new ChangingState()
    source.state = null
    const [refused] = await Promise.allSettled([open(source)])
    expect(((refused as PromiseRejectedResult).reason as ProblemError).code).to.equal('NOT_FOUND')
    expect([source.changes.listenerCount('change'), countOpenStreams()]).to.deep.equal([0, 0])
    const accept = (accepted: string) =>
      assertAcceptsEvents({ request: { accepts: (type: string) => type === accepted } } as unknown as KoaContext)
    expect(() => accept('text/event-stream')).to.not.throw()
    expect(() => accept('application/json'))
      .to.throw()
      .with.property('code', 'NOT_ACCEPTABLE')
  })

  it('ends when the state is gone, and after the last state', async () => {
    for (const [last, expected] of [
      [null, event(1)],
      [{ value: { version: 2 }, version: 2, isTerminal: true }, event(1) + event(2)],
    ] as const) {
      const source = new ChangingState()
      const stream = await open(source)
      source.change(last)
      expect(await text(stream)).to.equal(expected)
      expect(countOpenStreams()).to.equal(0)
    }
  })

  it('has each state once, never an earlier one', async () => {
    const source = new ChangingState(5)
    const stream = await open(source)
    for (const version of [5, 4]) {
      source.change({ value: { version }, version, isTerminal: false })
      await setImmediate()
    }
    source.change({ value: { version: 6 }, version: 6, isTerminal: true })
    expect(await text(stream)).to.equal(event(5) + event(6))
  })

  it('skips the states that came while its reader was behind', async () => {
    const source = new ChangingState()
    const stream = await open(source)
    await setImmediate()
    stream.write('x'.repeat(64 * 1024))
    for (const version of [2, 3, 4]) {
      source.change({ value: { version }, version, isTerminal: version === 4 })
      await setImmediate()
    }
    expect((await text(stream)).replaceAll('x', '')).to.equal(event(1) + event(4))
  })

  it('is none for HEAD, and for a client that has seen the last state; another client sees that again', async () => {
    const last = (): ChangingState => {
      const source = new ChangingState(3)
      source.state = { value: { version: 3 }, version: 3, isTerminal: true }
      return source
    }
    for (const [method, lastEventId, source, expected] of [
      ['HEAD', '', new ChangingState(), [200, 'text/event-stream']],
      ['HEAD', '2', last(), [200, 'text/event-stream']],
      ['GET', '3', last(), [204, undefined]],
    ] as const) {
      const headers: Record<string, string> = {}
      const own = {
        method,
        request: { get: (name: string) => (name === 'last-event-id' ? lastEventId : '') },
        set: (fields: object) => Object.assign(headers, fields),
      } as unknown as KoaContext
      expect(await streamEvents(own, source, () => undefined)).to.equal(null)
      expect([own.status, headers['Content-Type']]).to.deep.equal(expected)
      expect([source.changes.listenerCount('change'), countOpenStreams()]).to.deep.equal([0, 0])
    }
    expect(await text(await open(last()))).to.equal(event(3))
  })

  it('has a comment every 12 s, unless its reader is behind', async () => {
    mock.timers.enable({ apis: ['setInterval'] })
    try {
      const [quick, slow] = [await open(new ChangingState()), await open(new ChangingState())]
      expect(String(quick.read())).to.equal(event(1))
      slow.write('x'.repeat(64 * 1024))
      mock.timers.tick(heartbeatIntervalMs)
      expect(String(quick.read())).to.equal(':\n\n')
      endEventStreams()
      expect([await text(quick), (await text(slow)).endsWith('x')]).to.deep.equal(['', true])
      const next = await open(new ChangingState())
      next.read()
      mock.timers.tick(heartbeatIntervalMs)
      expect(String(next.read()), 'after all streams have ended').to.equal(':\n\n')
      endEventStreams()
      await text(next)
    } finally {
      mock.timers.reset()
    }
  })

  it('breaks off, and says why, when its state cannot be read', async () => {
    const source = new ChangingState()
    const stream = await open(source)
    const cause = new Error('the state cannot be read')
    source.read = async () => {
      throw cause
    }
    source.changes.emit('change')
    await once(stream, 'close')
    expect([failures, countOpenStreams()]).to.deep.equal([[cause], 0])
  })
})
