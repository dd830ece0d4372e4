import { EventEmitter } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import { mock } from 'node:test'
import { expect } from 'chai'
import { cutSlowBodies } from '../../../../core/http/body/slow-bodies.ts'

const intervalMs = 15_000
/** 2 KiB per second. */
const minBytes = 30 * 1024

/** A request as far as the check looks at it; a test sets what has arrived. */
class ArrivingRequest extends EventEmitter {
  readonly headers: Record<string, string>
  socket = { bytesRead: 0 }
  isReaderPaused = false
  readableLength = 0
  complete = false
  isCut = false

  constructor(headers: Record<string, string> = { 'content-length': '1000000' }) {
    super()
    this.headers = headers
  }

  isPaused(): boolean {
    return this.isReaderPaused
  }

  destroy(): void {
    this.isCut = true
  }
}

describe('Slow bodies', () => {
  let server: EventEmitter
  let cutAll: () => void

  beforeEach(() => {
    mock.timers.enable({ apis: ['setInterval'] })
    server = new EventEmitter()
    cutAll = cutSlowBodies(server as Server)
  })
  afterEach(() => mock.timers.reset())

  const begin = (request = new ArrivingRequest()) => {
    server.emit('request', request as unknown as IncomingMessage)
    return request
  }
  /** Lets 15 s pass in which so many bytes arrive. */
  const pass = (request: ArrivingRequest, bytes: number) => {
    request.socket.bytesRead += bytes
    mock.timers.tick(intervalMs)
    return request.isCut
  }

  it('are cut off below 2 KiB per second, measured every 15 s, the first of which is free', () => {
    const [steady, slow] = [begin(), begin()]
    expect([pass(steady, 0), slow.isCut]).to.deep.equal([false, false])
    expect([pass(steady, minBytes), slow.isCut]).to.deep.equal([false, true])
    expect(pass(steady, minBytes)).to.equal(false)
    expect(pass(steady, minBytes - 1)).to.equal(true)
  })

  it('are not those that have arrived, or that wait for their reader', () => {
    for (const change of [{ complete: true }, { isReaderPaused: true }, { readableLength: 1 }]) {
      const request = begin()
      pass(request, 0)
      Object.assign(request, change)
      expect([pass(request, 0), pass(request, 0)], JSON.stringify(change)).to.deep.equal([false, false])
      Object.assign(request, { complete: false, isReaderPaused: false, readableLength: 0 })
      expect(pass(request, 0)).to.equal(true)
    }
  })

  it('are none without a body, after the end of the request, or after that of the server', () => {
    const [bodiless, ended, left] = [begin(new ArrivingRequest({})), begin(), begin()]
    pass(left, 0)
    ended.emit('close')
    server.emit('close')
    expect([pass(bodiless, 0), ended.isCut, left.isCut]).to.deep.equal([false, false, false])
  })

  it('are all cut off when the process stops, however fast they are', () => {
    const [incomplete, complete, ended, bodiless] = [begin(), begin(), begin(), begin(new ArrivingRequest({}))]
    complete.complete = true
    ended.emit('close')
    cutAll()
    expect([incomplete, complete, ended, bodiless].map(({ isCut }) => isCut)).to.deep.equal([true, false, false, false])
  })
})
